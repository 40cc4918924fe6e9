import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildApp } from "../web/compiler/build/build.ts";
import { createDevHost } from "../web/compiler/dev/dev-host.ts";
import { withTempApp } from "../web/compiler/temp-app.testkit.ts";
import { loadEnvFiles } from "./env-files.ts";

const show = "`${import.meta.env.VITE_NAME} ${import.meta.env.SECRET_NAME} ${import.meta.env.MODE}`";
const APP = {
  "app.tsx": 'import { Page } from "./page.tsx"; export const text = () => Page(); export default { Page };',
  "page.tsx": `import { signal } from "svckit"; export const Page = () => { const n = signal(""); return <p title={${show}} onClick={() => (n.value = ${show})}>{n.value}</p>; };`,
  ".env": "VITE_NAME=the-public-name\nSECRET_NAME=the-secret-name\n",
};

describe(".env files", () => {
  it("have the precedence of Vite, and never replace a variable of the environment", async () => {
    const files = {
      ".env": "A=env\nB=env\nC=env\nD=env\nE=env",
      ".env.local": "A=local\nB=local\nC=local\nD=local",
      ".env.production": "A=production\nB=production\nC=production",
      ".env.production.local": "A=production-local\nB=production-local",
      ".env.development": "A=development",
    };
    await withTempApp(files, async ({ root }) => {
      const env: NodeJS.ProcessEnv = { A: "given" };
      loadEnvFiles(root, "production", env);
      assert.deepEqual(env, { A: "given", B: "production-local", C: "production", D: "local", E: "env" });
    });
  });

  it("bring only variables that begin with VITE_ to the browser, in a build and under svc dev", async () => {
    await withTempApp(APP, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const built = await app.read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`);
      assert.match(built, /the-public-name[^]*production/);
      const host = await createDevHost({ root: app.root });
      try {
        await host.loadApp();
        const served = (await host.chunk(host.manifest().chunks["page.tsx"] ?? "")) ?? "";
        assert.match(served, /the-public-name[^]*development/);
        for (const code of [built, served, await app.read("dist/server/app.js")])
          assert.doesNotMatch(code, /the-secret-name/);
      } finally {
        await host.close();
      }
    });
  });
});
