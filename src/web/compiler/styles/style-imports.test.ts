import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { buildApp } from "../build/build.ts";
import { withTempApp } from "../temp-app.testkit.ts";

const FILES = {
  "app.tsx": `import { page } from "svckit"; import "./base.css"; import { View } from "./view.tsx"; import { Bare } from "./bare.tsx";
    export default [page("/", { title: "A", view: () => <View /> }), page("/bare", { title: "B", view: () => <Bare /> })];`,
  "bare.tsx": "export const Bare = () => <p>bare</p>;",
  "base.css": "p { color: red; }",
  "view.tsx": `import "./view.css"; import type { Unused } from "./unused.tsx"; import { help } from "./help.ts"; import { Part } from "./part.tsx";
    export const View = (props: { part: Unused }) => <p onClick={() => help()}><Part /></p>;`,
  "view.css": "p { color: green; }",
  "help.ts": 'import "./help.css"; export const help = () => import("./late.ts");',
  "late.ts": 'import "./late.css"; export const late = 1;',
  "help.css": "i { color: red; }",
  "late.css": "u { color: red; }",
  "part.tsx": 'import "./part.css"; export const Part = () => <b>part</b>;',
  "part.css": "b { color: red; }",
  "unused.tsx": 'import "./unused.css"; export type Unused = string; export const Other = () => <p>other</p>;',
  "unused.css": "s { color: red; }",
};

describe("Imported stylesheets", () => {
  it("are those of the module and its imports, handlers and dynamic imports included, in their order", async () => {
    await withTempApp(FILES, async ({ root }) => {
      const { manifest } = await buildApp({ root });
      const { files = [], always = [], modules = {} } = manifest.styles ?? {};
      const names = (indexes: readonly number[] = []): string[] =>
        indexes.map((at) => path.basename(files[at] ?? "").replace(/-[0-9a-f]{8}\.css$/, ""));
      assert.deepEqual(names(always), ["base"]);
      assert.deepEqual(names(modules["view.tsx"]), ["view", "help", "late", "part"]);
      assert.deepEqual(names(modules["part.tsx"]), ["part"]);
      assert.equal(modules["bare.tsx"], undefined);
    });
  });

  it("change the id of the build, and leave an app without them as it is", async () => {
    const { "base.css": _base, ...rest } = FILES;
    const builds: string[] = [];
    for (const color of ["red", "blue"])
      await withTempApp({ ...rest, "base.css": `p { color: ${color}; }` }, async ({ root }) => {
        builds.push((await buildApp({ root })).manifest.build);
      });
    assert.notEqual(builds[0], builds[1]);
    await withTempApp(
      { "app.tsx": 'import "svckit"; export const A = () => <p>a</p>; export default A;' },
      async (app) => {
        const { manifest } = await buildApp({ root: app.root });
        assert.equal(manifest.styles, undefined);
        assert.doesNotMatch(await app.read("dist/server/app.js"), /madeIn/);
        assert.deepEqual(await app.list("dist/client"), []);
      },
    );
  });
});
