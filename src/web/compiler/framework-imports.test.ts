import assert from "node:assert/strict";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { buildApp } from "./build/build.ts";
import { FrameworkImports, importsFramework, nodeResolve, runtimeOf } from "./framework-imports.ts";
import { withTempApp, type TempApp } from "./temp-app.testkit.ts";

const resolve = async (specifier: string): Promise<string> => specifier;

/** An app whose counter imports the framework as `name`. */
const counterApp = (name: string): Record<string, string> => ({
  "app.tsx": 'import { Counter } from "./counter.tsx"; export default Counter;',
  "counter.tsx": `import { signal } from ${JSON.stringify(name)};
    import { save } from "./actions.ts";
    export function Counter() { const n = signal(0); return <button onClick={() => { n.value++; save(); }}>{n.value}</button>; }`,
  "actions.ts": `import { action } from ${JSON.stringify(name)}; export const save = action(() => 1);`,
});

/** Installs this package in the app under another name only, as an npm alias does. */
async function installAs(app: TempApp, name: string): Promise<void> {
  await rm(path.join(app.root, "node_modules/svckit"));
  await app.write(path.join("node_modules", path.dirname(name), ".keep"), "");
  await symlink(PACKAGE_ROOT, path.join(app.root, "node_modules", name), "dir");
}

describe("An import of the framework", () => {
  for (const name of ["svc", "@me/svckit"])
    it(`under the name ${name} compiles to browser code, stubs of actions and a server module that runs`, async () => {
      await withTempApp(counterApp(name), async (app) => {
        await installAs(app, name);
        const { manifest } = await buildApp({ root: app.root });
        assert.deepEqual(Object.keys(manifest.chunks), ["counter.tsx"]);
        assert.deepEqual(manifest.actions, ["save"]);
        const built = await app.read("dist/server/app.js");
        assert.match(built, new RegExp(`from "${name}"`));
        const { default: counter } = (await import(pathToFileURL(path.join(app.root, "dist/server/app.js")).href)) as {
          default: unknown;
        };
        assert.equal(typeof counter, "function");
      });
    });

  it("under an alias of Vite is written to the server module under the package's own name", async () => {
    const config = `export default { resolve: { alias: { "#fw": "svckit" } } };`;
    await withTempApp({ ...counterApp("#fw"), "vite.config.js": config }, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      assert.deepEqual(Object.keys(manifest.chunks), ["counter.tsx"]);
      assert.match(await app.read("dist/server/app.js"), /from "svckit"/);
    });
  });

  it("is not one of another package with a similar name", async () => {
    await withTempApp({ "node_modules/svckit-extra/index.js": "export {};" }, async (app) => {
      const importer = path.join(app.root, "app.ts");
      const imports = new FrameworkImports();
      for (const other of ["svckit-extra", "react", "node:fs", "./svckit", "no-such-package"])
        assert.equal(await imports.canonical(other, importer, resolve), undefined, other);
      assert.equal(await imports.canonical("svckit/graph", importer, resolve), "svckit/graph");
    });
  });

  it("names the JSX runtime by the alias where the package has no other name in the app", async () => {
    await withTempApp({}, async (app) => {
      await installAs(app, "svc");
      const importer = path.join(app.root, "app.tsx");
      const aliases = await new FrameworkImports().aliasesIn('import { worker } from "svc/graph";', importer, resolve);
      assert.deepEqual([...aliases], [["svc/graph", "svckit/graph"]]);
      assert.ok(importsFramework('import { worker } from "svc/graph";', aliases));
      assert.ok(!importsFramework('import { worker } from "svc/graph";', new Map()));
      assert.equal(nodeResolve("svckit", importer), undefined);
      assert.equal(runtimeOf(aliases, importer), "svc/jsx-runtime");
    });
  });
});

describe("A build of an app with JSX", () => {
  it("fails with SVC122 if no module imports the framework", async () => {
    const app = {
      ...counterApp("svckit-of-somebody-else"),
      "node_modules/svckit-of-somebody-else/package.json": '{ "type": "module", "exports": "./index.js" }',
      "node_modules/svckit-of-somebody-else/index.js": "export const signal = () => ({}), action = () => {};",
    };
    await withTempApp(app, async ({ root }) => {
      const error: unknown = await buildApp({ root }).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof SvcError, String(error));
      assert.equal(error.code, "SVC122");
      assert.match(error.message, /counter\.tsx[^]*no module imports "svckit"/);
    });
  });
});
