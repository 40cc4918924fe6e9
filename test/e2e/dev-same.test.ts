/**
 * Development and production run the same passes: every page of the fixtures is the same HTML from both, but for names of
 * chunks, secrets of one answer, and what development adds. That they behave alike is held by fixtures-delivery.test.ts.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

/** Of a page that waits for a test to let its parts come. */
const WAITS = /^\/(?:streaming|in-order|late)/;

/** HTML without what differs from answer to answer, and without what only development has. */
function comparable(html: string): string {
  const token = /"csrf_token":"([^"]+)"/.exec(html)?.[1] ?? /name="_csrf" value="([^"]+)"/.exec(html)?.[1];
  return (token === undefined ? html : html.replaceAll(token, "TOKEN"))
    .replaceAll(/ nonce="[^"]*"/g, ' nonce=""')
    .replaceAll(/data-build="[^"]*"|"build":"[^"]*"/g, "BUILD")
    .replaceAll(/\b([a-z0-9-]+)-[0-9a-f]{8}(?:-\d+)?(?=[" ])/g, "$1-HASH")
    .replace(/,"d":\[(?:(?:null|"[^"]*"),?)*\](?=[,}])/, "")
    .replace(/<script type="module" nonce="" src="\/_svc\/dev\.js"[^>]*><\/script>$/, "");
}

for (const name of ["compiler", "runtime"]) {
  describe(`the fixtures of ${name}`, () => {
    const app = join(root, "test/fixtures", name);
    const data = [temporaryFolder(), temporaryFolder()] as const;
    const servers: DemoServer[] = [];
    let paths: readonly string[];

    before(async () => {
      await buildDemo(app);
      const built = pathToFileURL(join(app, "dist/server/app.js")).href;
      ({ pagePaths: paths } = ((await import(built)) as { default: { pagePaths: readonly string[] } }).default);
      servers.push(await startDemo({ app, dataDir: data[0].path }));
      servers.push(await startDemo({ app, command: "dev", dataDir: data[1].path, env: { NODE_ENV: "development" } }));
    });

    after(async () => {
      for (const server of servers) await server.stop();
      for (const folder of data) folder.remove();
    });

    it("are the same pages from a build and in development", async () => {
      const asked = paths.filter((path) => !WAITS.test(path));
      assert.ok(asked.length > 5);
      for (const path of asked) {
        const [built = "", developed = ""] = await Promise.all(
          servers.map(async ({ url }) => (await fetch(url + path, { headers: { accept: "text/html" } })).text()),
        );
        assert.match(developed, /src="\/_svc\/dev\.js"/, path);
        assert.doesNotMatch(built, /dev\.js/, path);
        assert.equal(comparable(developed), comparable(built), path);
      }
    });
  });
}
