import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { buildApp } from "./build.ts";
import { createDevHost } from "../dev/dev-host.ts";
import { withTempApp } from "../temp-app.testkit.ts";

/** An expression that reads everything that vite.config.ts and tsconfig.json provide. */
const ALL = "[plugged, aliased, mapped, __VERSION__].join()";
const IMPORTS = `import { plugged } from "virtual:plugged"; import { aliased } from "@lib/aliased.ts"; import { mapped } from "~/mapped";`;
const ENV = "JSON.stringify(import.meta.env)";
const view = (name: string, text: string): string =>
  `export const ${name} = () => { const n = signal(""); return <p title={${text}} onClick={() => (n.value = ${text})}>{n.value}</p>; };`;

const FILES = {
  "vite.config.ts": `import { fileURLToPath } from "node:url";
    const version: string = "v7";
    export default {
      plugins: [{
        name: "plugged",
        resolveId: (id: string) => (id === "virtual:plugged" ? "\\0plugged" : undefined),
        load: (id: string) => (id === "\\0plugged" ? 'export const plugged = "from-a-plugin";' : undefined),
      }],
      resolve: { alias: { "@lib": fileURLToPath(new URL("./lib", import.meta.url)) } },
      define: { __VERSION__: JSON.stringify(version) },
    };`,
  "tsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./mapped/*"] } }, "include": ["."] }',
  "lib/aliased.ts": 'export const aliased = "from-an-alias";',
  "mapped/mapped.ts": 'export const mapped = "from-tsconfig";',
  ".env": "VITE_NAME=the-public-name\nSECRET_NAME=the-secret-name\n",
  "app.tsx": `import { Page } from "./page.tsx"; import { Env } from "./env.tsx"; ${IMPORTS}
    export default { text: ${ALL}, env: import.meta.env, Page, Env };`,
  "page.tsx": `import { signal } from "svckit"; ${IMPORTS} ${view("Page", ALL)}`,
  "env.tsx": `import { signal } from "svckit"; ${view("Env", ENV)}`,
};
const PARTS = /from-a-plugin[^]*from-an-alias[^]*from-tsconfig[^]*v7/;

interface Loaded {
  default: { text: string; env: Record<string, unknown> };
}

/** The value that browser code has for `import.meta.env`. */
function envIn(chunk: string): Record<string, unknown> {
  const [, text = ""] = /JSON\.stringify\((\{[^}]*\})\)/.exec(chunk) ?? [];
  // Minified: `DEV:!1`.
  return runInNewContext(`(${text})`) as Record<string, unknown>;
}

/** `SSR` is the only variable that differs. */
function requireEqual(server: Record<string, unknown>, browser: Record<string, unknown>, mode: string): void {
  const { SSR: onServer, ...own } = server;
  const { SSR: inBrowser, ...other } = browser;
  assert.deepEqual([onServer, inBrowser], [true, false]);
  assert.deepEqual(other, { ...own });
  assert.deepEqual([own["MODE"], own["VITE_NAME"], own["SECRET_NAME"]], [mode, "the-public-name", undefined]);
}

describe("vite.config.ts, tsconfig paths and import.meta.env", () => {
  it("apply to server and browser code of a build", async () => {
    await withTempApp(FILES, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const { default: built } = (await import(
        pathToFileURL(path.join(app.root, "dist/server/app.js")).href
      )) as Loaded;
      assert.match(built.text, PARTS);
      const chunk = (file: string): Promise<string> => app.read(`dist/client/handler/${manifest.chunks[file]}.js`);
      assert.match(await chunk("page.tsx"), /from-a-plugin/);
      for (const part of ["from-an-alias", "from-tsconfig", "v7"])
        assert.ok((await chunk("page.tsx")).includes(part), part);
      requireEqual(built.env, envIn(await chunk("env.tsx")), "production");
    });
  });

  it("apply to server and browser code under svc dev", async () => {
    await withTempApp(FILES, async (app) => {
      const host = await createDevHost({ root: app.root });
      try {
        const { default: loaded } = (await host.loadApp()) as unknown as Loaded;
        assert.match(loaded.text, PARTS);
        const chunk = async (file: string): Promise<string> =>
          (await host.chunk(host.manifest().chunks[file] ?? "")) ?? "";
        for (const part of ["from-a-plugin", "from-an-alias", "from-tsconfig", "v7"])
          assert.ok((await chunk("page.tsx")).includes(part), part);
        requireEqual(loaded.env, envIn(await chunk("env.tsx")), "development");
      } finally {
        await host.close();
      }
    });
  });
});
