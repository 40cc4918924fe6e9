/** Finds the tests. The sources name them, because other runs write to `out` at the same time, and old files stay in it. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folder of sources -> folder below `out/` for its output (the tsconfig.json of each). */
const OUTPUTS: Readonly<Record<string, string>> = {
  src: "",
  test: "test",
  scripts: "scripts",
  demo: "demo",
  "bench/lib": "bench/lib",
};

/**
 * @param root folder of the repository
 * @returns paths of compiled tests, relative to `out/`, in alphabetical order
 * @throws Error if one is not built
 */
export function testFiles(root: string): string[] {
  const files = Object.entries(OUTPUTS).flatMap(([folder, output]) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.tsx?$/.test(file))
      .map((file) => join(output, file.replace(/tsx?$/, "js"))),
  );
  const missing = files.find((file) => !existsSync(join(root, "out", file)));
  if (missing !== undefined) throw new Error(`out/${missing} is missing. Run "npm run build" first.`);
  return files.toSorted();
}
