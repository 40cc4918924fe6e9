/**
 * The files below a folder. Of Node's own recursive listing it depends on the version whether links to folders are followed: from 22
 * on they are, out of the folder and round in circles. Here they never are.
 */
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";

export interface ListedFile {
  /** From the folder on, with `/` on every system: `in/a.txt`. */
  name: string;
  /** With the folder in front, as the system writes it. */
  path: string;
  /** Whether it is a link, to whatever it is. */
  isLink: boolean;
}

/**
 * Files and links, folder by folder; no folders.
 * @param isWanted asked of the name of each folder before it is looked into. Default: all
 * @throws what reading a folder does: `ENOENT` where there is none
 */
export function* listFiles(folder: string, isWanted = (_name: string): boolean => true): Generator<ListedFile> {
  yield* filesIn(folder, "", isWanted);
}

function* filesIn(folder: string, prefix: string, isWanted: (name: string) => boolean): Generator<ListedFile> {
  // Put together once: for each file it would take a millisecond of every start.
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
