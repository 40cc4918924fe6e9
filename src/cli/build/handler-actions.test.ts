import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { App } from "../../app/app-types.ts";
import type { DevSupport } from "../../app/options.ts";
import { createTestClient } from "../../testing/client.ts";
import { buildApp } from "../../web/compiler/build/build.ts";
import { createDevHost, type DevHost } from "../../web/compiler/dev/dev-host.ts";
import { withTempApp, type TempApp } from "../../web/compiler/temp-app.testkit.ts";

const ENV =
  '{ NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_LOG_LEVEL: "silent", SVC_SECRET: "s".repeat(32) }';
const FILES = {
  "app.tsx": `import { createApp, page } from "svckit"; import { Page } from "./page.tsx";
    export default createApp({ env: ${ENV}, pages: [page("/", { title: "", view: () => <Page /> })], });`,
  "page.tsx": `import { signal } from "svckit"; import { save } from "./actions.ts"; import { helped } from "./helper.ts";
    export const label = "page";
    export function Page() {
      const n = signal(0);
      return <p onClick={async () => (n.value = (await save(n.value)) + (await helped()))}>{n.value}</p>;
    }`,
  // Imports the page back, as an action that renders does.
  "actions.ts": `import { action } from "svckit"; import { label } from "./page.tsx";
    export const save = action(async (n: number) => \`\${label} \${n}\`);
    export const unused = action(async () => "unused");`,
  "helper.ts": `import { other } from "./more.ts"; export const helped = () => other();`,
  "more.ts": `import { action } from "svckit";
    const renamed = action(async () => "other");
    export { renamed as other };
    export const fresh = action(async () => "fresh");`,
};

type Call = (name: string, ...args: unknown[]) => Promise<unknown>;

async function withApp(app: App, where: Parameters<App["boot"]>[0], use: (call: Call) => Promise<void>): Promise<void> {
  await app.boot(where);
  const client = createTestClient(app);
  try {
    await use(async (name, ...args) => {
      const { reply } = await client.action(name, ...args);
      return reply.ok ? reply.value : reply.error;
    });
  } finally {
    await app.close();
  }
}

async function edit(host: DevHost, app: TempApp, file: string, text: string): Promise<void> {
  const seen = new Promise<void>((resolve) => {
    const stop = host.onChange((changed) => {
      if (path.basename(changed.file) !== file) return;
      stop();
      resolve();
    });
  });
  await app.write(file, text);
  await seen;
}

describe("actions that handlers import", () => {
  it("are callable in a build without a list, also through a helper, and no others are", async () => {
    await withTempApp(FILES, async ({ root }) => {
      await buildApp({ root });
      const dist = path.join(root, "dist");
      const { default: app } = (await import(pathToFileURL(path.join(dist, "server/app.js")).href)) as { default: App };
      await withApp(app, { dist }, async (call) => {
        assert.equal(await call("save", 4), "page 4");
        assert.equal(await call("other"), "other");
        assert.equal(await call("unused"), "Unknown action");
        assert.equal(await call("fresh"), "Unknown action");
      });
    });
  });

  it("are callable under svc dev, and so is one that an edit of a helper adds", async () => {
    await withTempApp(FILES, async (files) => {
      const host = await createDevHost({ root: files.root });
      const support: DevSupport = {
        manifest: () => host.manifest(),
        chunk: (name) => host.chunk(name),
        script: () => "",
        kept: () => undefined,
        faultPage: () => "",
      };
      const load = async (): Promise<App> => (await host.loadApp()).default as App;
      try {
        await withApp(await load(), { dev: support }, async (call) => {
          assert.deepEqual([await call("save", 4), await call("other")], ["page 4", "other"]);
          assert.equal(await call("fresh"), "Unknown action");
        });
        const helper = `import { other, fresh } from "./more.ts"; export const helped = () => fresh().then(other);`;
        await edit(host, files, "helper.ts", helper);
        await withApp(await load(), { dev: support }, async (call) => assert.equal(await call("fresh"), "fresh"));
      } finally {
        await host.close();
      }
    });
  });
});
