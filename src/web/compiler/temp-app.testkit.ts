/** An app in a temporary folder, for tests of whole builds. Holds no test. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DevChunks } from "./dev/dev-chunks.ts";
import { newAppModules } from "./build/app-modules.ts";

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));

export interface TempApp {
  root: string;
  write(file: string, text: string): Promise<void>;
  read(file: string): Promise<string>;
  /** Names of the files directly in a folder, sorted; none when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

/** Runs `use` with an app of these files, in which "svckit" resolves to this package, and removes it afterwards. */
export async function withTempApp(files: Record<string, string>, use: (app: TempApp) => Promise<void>): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), "svc-compiler-"));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  try {
    await mkdir(path.join(root, "node_modules"));
    await symlink(PACKAGE, path.join(root, "node_modules", "svckit"), "dir");
    await write("package.json", '{"type":"module"}');
    for (const [file, text] of Object.entries(files)) await write(file, text);
    await use({
      root,
      write,
      read: (file) => readFile(path.join(root, file), "utf8"),
      list: async (folder) => {
        const names = await readdir(path.join(root, folder)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return [];
          throw error;
        });
        return names.sort((left, right) => (left < right ? -1 : 1));
      },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Code of the browser chunk of view.tsx in an app of these files, without its source map. @throws SvcError from the compiler */
export async function devChunkOf(files: Record<string, string>): Promise<string> {
  let code = "";
  await withTempApp(files, async ({ root }) => {
    const modules = newAppModules();
    modules.browser.set(path.join(root, "view.tsx"), "view.tsx");
    const chunks = new DevChunks(root, modules);
    code = (await chunks.code(chunks.names().get("view.tsx") ?? "")) ?? "";
  });
  return code.replace(/\/\/# source.*/, "");
}
