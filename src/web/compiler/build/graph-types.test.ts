import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { writeGraphTypes } from "./graph-types.ts";

/** Writes an app, and returns the lines of the written interface; undefined without a file. */
function linesFor(files: Readonly<Record<string, string>>): string[] | undefined {
  const root = mkdtempSync(join(tmpdir(), "svc-graph-types-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    writeGraphTypes(join(root, "app.ts"));
    const target = join(root, "svc-graphs.d.ts");
    if (!existsSync(target)) return undefined;
    return [...readFileSync(target, "utf8").matchAll(/^(?: {4}|declare module )(.*)$/gm)].map(([, line = ""]) => line);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const tea = `import { graph, worker } from "svckit/graph";
export const boil = worker("boil-water", () => 1);
export const tea = graph<{ cups: number }, string>("tea", (g) => g.node("boil", boil));`;

describe("types of graphs", () => {
  it("list the graphs and workers of the app by name, with imports of their types", () => {
    const app = `import { createApp as create } from "svckit";
import { boil, tea as drink } from "./tea.js";
import { worker } from "svckit/graph";
export const here = worker("here", () => 1);
const hidden = worker("hidden", () => 1);
const workers = [boil, here, hidden] as const;
export default create({ graphs: [drink], workers, pages: [] });`;
    assert.deepEqual(linesFor({ "app.ts": app, "tea.ts": tea }), [
      '"svckit/graph" {',
      '"boil-water": typeof import("./tea.js").boil;',
      '"here": typeof import("./app.ts").here;',
      '"hidden": unknown;',
      '"tea": typeof import("./tea.js").tea;',
    ]);
  });

  it("name the package as the app does", () => {
    const app = `import { createFullStackApp } from "my-svc/fullstack";
import { tea } from "./graphs/tea.ts";
const options = { graphs: [tea] };
export default createFullStackApp(options);`;
    assert.deepEqual(linesFor({ "app.ts": app, "graphs/tea.ts": tea }), [
      '"my-svc/graph" {',
      '"tea": typeof import("./graphs/tea.ts").tea;',
    ]);
  });

  it("are not written if the code does not show all names", () => {
    const begin = `import { createApp } from "svckit";\nimport { tea } from "./tea.ts";\n`;
    for (const rest of [
      "export default createApp({ graphs: [tea, ...others] });",
      "export default createApp({ graphs: made() });",
      "export default createApp({ ...common, graphs: [tea] });",
      'import { other } from "a-package";\nexport default createApp({ graphs: [tea, other] });',
      "export default createApp({ graphs: [missing] });",
      "export default createApp({ pages: [] });",
      "createApp({ graphs: [tea] }); export default createApp({ graphs: [tea] });",
    ])
      assert.equal(linesFor({ "app.ts": begin + rest, "tea.ts": tea }), undefined, rest);
  });

  it("follow the app, are written only if they change, and stay during a syntax error", () => {
    const root = mkdtempSync(join(tmpdir(), "svc-graph-types-"));
    const entry = join(root, "app.ts");
    const app = (list: string): string =>
      `import { createApp } from "svckit";\nimport { boil, tea } from "./tea.ts";\nexport default createApp({ ${list} });`;
    try {
      writeFileSync(join(root, "tea.ts"), tea);
      writeFileSync(entry, app("graphs: [tea]"));
      assert.equal(writeGraphTypes(entry), join(root, "svc-graphs.d.ts"));
      assert.equal(writeGraphTypes(entry), undefined);
      writeFileSync(entry, app("graphs: [tea"));
      assert.equal(writeGraphTypes(entry), undefined);
      writeFileSync(entry, app("workers: [boil]"));
      assert.equal(writeGraphTypes(entry), join(root, "svc-graphs.d.ts"));
      writeFileSync(entry, app(""));
      assert.equal(writeGraphTypes(entry), join(root, "svc-graphs.d.ts"));
      assert.equal(existsSync(join(root, "svc-graphs.d.ts")), false);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
