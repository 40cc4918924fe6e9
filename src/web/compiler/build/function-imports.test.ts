import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { functionImports } from "./function-imports.ts";

const FILES: Readonly<Record<string, string>> = {
  "/app/index.ts":
    'export * from "./rules.ts"; export { name as label } from "./data.tsx"; import { Api } from "./api.ts"; export { Api };',
  "/app/rules.ts":
    "const required = () => 1; export { required }; export const min = (n) => (v) => v < n; export const RULES = { required }; export default RULES;",
  "/app/data.tsx": 'export const name = "a"; export const list = [1, { a: "b" }]; export const View = () => <p />;',
  "/app/api.ts": "export const Api = { load: async () => 1 };",
  "/app/db.server.ts": "export const query = () => 1;",
  "/app/files.ts": 'import { readFileSync } from "node:fs"; export const read = () => readFileSync("a");',
  "/app/reads.ts": 'import { read } from "./files.ts"; export const read2 = () => read();',
  "/app/circle.ts": 'export * from "./circle.ts"; export const a = 1;',
  "/app/save.ts": "export const save = 1;",
};

async function found(source: string, imported: string) {
  const given = [{ source, imported, local: "x", start: 0, end: 0 }];
  const modules = {
    moduleOf: (asked: string) => {
      const module = `/app/${asked.slice(2)}`;
      return Promise.resolve(module in FILES ? module : undefined);
    },
    fileOf: (module: string) => Promise.resolve({ path: module.slice(1), text: FILES[module] ?? "" }),
    hasActions: (module: string) => Promise.resolve(module === "/app/save.ts"),
  };
  const result = await functionImports(modules, given, "/app/view.tsx");
  return result && (result.makers.has("x") ? "maker" : "value");
}

describe("an import that is given to a component, context or hook", () => {
  it("is a function, or an object with functions, by the code of its module", async () => {
    assert.equal(await found("./rules.ts", "required"), "value");
    assert.equal(await found("./rules.ts", "RULES"), "value");
    assert.equal(await found("./rules.ts", "default"), "value");
    assert.equal(await found("./rules.ts", "*"), "value");
    assert.equal(await found("./save.ts", "save"), "value", "a server action");
  });

  it("is found behind other modules that export it", async () => {
    assert.equal(await found("./index.ts", "min"), "maker");
    assert.equal(await found("./index.ts", "Api"), "value");
    assert.equal(await found("./index.ts", "label"), undefined);
    assert.equal(await found("./circle.ts", "b"), undefined);
  });

  it("is sent as data if it contains no function", async () => {
    for (const name of ["name", "list", "View", "missing"]) assert.equal(await found("./data.tsx", name), undefined);
    assert.equal(await found("some-package", "format"), undefined);
  });

  it("stays on the server if its module, or one behind it, uses modules of the server", async () => {
    assert.equal(await found("./db.server.ts", "query"), undefined);
    assert.equal(await found("./files.ts", "read"), undefined);
    assert.equal(await found("./reads.ts", "read2"), undefined);
  });
});
