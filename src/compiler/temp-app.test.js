/** An app in a temporary folder, for tests of whole builds. Holds no test. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
/** Runs `use` with an app of these files, in which "svc" resolves to this package, and removes it afterwards. */
export async function withTempApp(files, use) {
    const root = await mkdtemp(path.join(tmpdir(), "svc-compiler-"));
    const write = async (file, text) => {
        await mkdir(path.dirname(path.join(root, file)), { recursive: true });
        await writeFile(path.join(root, file), text);
    };
    try {
        await mkdir(path.join(root, "node_modules"));
        await symlink(PACKAGE, path.join(root, "node_modules", "svc"), "dir");
        await write("package.json", '{"type":"module"}');
        for (const [file, text] of Object.entries(files))
            await write(file, text);
        await use({
            root,
            write,
            read: (file) => readFile(path.join(root, file), "utf8"),
            list: async (folder) => {
                const names = await readdir(path.join(root, folder)).catch((error) => {
                    if (error.code === "ENOENT")
                        return [];
                    throw error;
                });
                return names.sort((left, right) => (left < right ? -1 : 1));
            },
        });
    }
    finally {
        await rm(root, { recursive: true, force: true });
    }
}
//# sourceMappingURL=temp-app.test.js.map