/** Apps without TypeScript: a page, its handler and an action, in a build and under svc dev. */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { App } from "../../app/app-types.ts";
import { createTestClient } from "../../testing/client.ts";
import { buildApp } from "../../web/compiler/build/build.ts";
import { createDevHost } from "../../web/compiler/dev/dev-host.ts";
import { withTempApp } from "../../web/compiler/temp-app.testkit.ts";

const ENV =
  '{ NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_LOG_LEVEL: "silent", SVC_SECRET: "s".repeat(32), SVC_SITE_URL: "https://shop.example" }';
const COUNTER = `export function Counter(props) {
  const count = signal(props.start);
  return <button onClick={async () => (count.value = await double(count.value))}>Count: {count.value}</button>;
}`;
const ACTION = 'import { action } from "svckit"; export const double = action(async (n) => n * 2);';

const APPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "app.jsx": {
    "app.jsx": `import { createApp, page, signal } from "svckit"; import { double } from "./actions.js";
      ${COUNTER}
      export default createApp({ env: ${ENV}, pages: [page("/", { title: "Shop", view: () => <Counter start={3} /> })] });`,
    "actions.js": ACTION,
  },
  "src/app.js": {
    "src/app.js": `import { createFullStackApp } from "svckit/fullstack"; export default createFullStackApp({ env: ${ENV} });`,
    "src/pages/index.jsx": `import { signal } from "svckit"; import { double } from "./_app/actions.js";
      ${COUNTER.replace("export ", "")}
      export const head = { title: "Shop" };
      export default function Page() { return <Counter start={3} />; }`,
    "src/pages/_app/actions.js": ACTION,
  },
};

async function check(app: App, where: Parameters<App["boot"]>[0]): Promise<void> {
  await app.boot(where);
  const client = createTestClient(app);
  try {
    const html = await (await client.get("/")).text();
    assert.match(html, /<title>Shop<\/title>/);
    assert.match(html, /Count: (?:<[^>]*>)*3/);
    assert.deepEqual((await client.action("double", 4)).reply, { ok: true, value: 8, error: null });
  } finally {
    await app.close();
  }
}

describe("an app in JavaScript", () => {
  for (const [entry, files] of Object.entries(APPS)) {
    it(`with ${entry} runs from a build`, async () => {
      await withTempApp(files, async ({ root, read }) => {
        const { manifest } = await buildApp({ root });
        const [chunk] = Object.values(manifest.chunks);
        assert.match(await read(`dist/client/handler/${chunk}.js`), /double/);
        const dist = path.join(root, "dist");
        const { default: app } = (await import(pathToFileURL(path.join(dist, "server/app.js")).href)) as {
          default: App;
        };
        await check(app, { dist });
      });
    });

    it(`with ${entry} runs under svc dev`, async () => {
      await withTempApp(files, async ({ root }) => {
        const host = await createDevHost({ root });
        try {
          const { default: app } = await host.loadApp();
          const support = {
            manifest: () => host.manifest(),
            chunk: (name: string) => host.chunk(name),
            script: () => "",
            kept: () => undefined,
            faultPage: () => "",
          };
          await check(app as App, { dev: support });
          const [chunk = ""] = Object.values(host.manifest().chunks);
          assert.match((await host.chunk(chunk)) ?? "", /double/);
        } finally {
          await host.close();
        }
      });
    });
  }
});
