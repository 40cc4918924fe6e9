/**
 * Lists the files below a folder. Node's recursive listing follows symbolic links to folders since version 22, out of the folder and
 * into cycles. This one never follows them.
 */
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";

export interface ListedFile {
  /** Path relative to the folder, with `/` on every system: `in/a.txt`. */
  name: string;
  /** Path including the folder, in the system's notation. */
  path: string;
  /** Whether it is a symbolic link. */
  isLink: boolean;
}

/**
 * Files and symbolic links, folder by folder, without the folders themselves.
 * @param isWanted called with the name of each folder before it is listed. Default: all
 * @throws the errors of reading a folder: `ENOENT` if it is missing
 */
export function* listFiles(folder: string, isWanted = (_name: string): boolean => true): Generator<ListedFile> {
  yield* filesIn(folder, "", isWanted);
}

function* filesIn(folder: string, prefix: string, isWanted: (name: string) => boolean): Generator<ListedFile> {
  // Computed once: once per file would take a millisecond of every start.
  const inside = join(folder, sep);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [name, path] = [prefix + entry.name, inside + entry.name];
    if (entry.isDirectory()) {
      if (isWanted(entry.name)) yield* filesIn(path, `${name}/`, isWanted);
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      yield { name, path, isLink: entry.isSymbolicLink() };
    }
  }
}
