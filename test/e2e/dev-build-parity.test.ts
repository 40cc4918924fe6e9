/**
 * Development and production run the same passes: every page of the fixtures has the same HTML in both, except for chunk names,
 * secrets of one response, and development tools. fixtures-delivery.test.ts covers equal behavior.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

/** @returns undefined for a streamed page, because its parts arrive in any order and wait for the gates of tests */
async function wholePage(url: string): Promise<string | undefined> {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  if (response.headers.get("x-accel-buffering") === null) return response.text();
  await response.body?.cancel();
  return undefined;
}

/**
 * The HTML without the names of what only a build can list beside a chunk: the other chunks and parts that it imports. In development the
 * import itself fetches them.
 */
function withoutNeeds(html: string, needs: ReadonlySet<string>): string {
  const kept = (names: readonly string[]): string[] =>
    names.filter((name) => !needs.has(name) && !name.startsWith("handler/"));
  return html
    .replaceAll(/(?<= s=")[^"]*(?=")/g, (scope) => kept(scope.split(" ")).join(" "))
    .replace(/(?<="n":){[^}]*}/, (json) => {
      const named = Object.entries(JSON.parse(json) as Record<string, string[]>);
      const left = named.map(([scope, names]): [string, string[]] => [scope, kept(names)]);
      return JSON.stringify(Object.fromEntries(left.filter(([, names]) => names.length > 0)));
    });
}

/** The HTML without the parts that differ between responses, and without development tools. */
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
    let needs: ReadonlySet<string>;

    before(async () => {
      await buildDemo(app);
      const built = pathToFileURL(join(app, "dist/server/app.js")).href;
      ({ pagePaths: paths } = ((await import(built)) as { default: { pagePaths: readonly string[] } }).default);
      const manifest = JSON.parse(readFileSync(join(app, "dist/manifest.json"), "utf8")) as {
        needs?: Record<string, string[]>;
      };
      needs = new Set(Object.values(manifest.needs ?? {}).flat());
      servers.push(await startDemo({ app, dataDir: data[0].path }));
      servers.push(await startDemo({ app, command: "dev", dataDir: data[1].path, env: { NODE_ENV: "development" } }));
    });

    after(async () => {
      for (const server of servers) await server.stop();
      for (const folder of data) folder.remove();
    });

    it("have the same pages in a build and in development", async () => {
      let compared = 0;
      for (const path of paths) {
        const [built, developed] = await Promise.all(servers.map(({ url }) => wholePage(url + path)));
        if (built === undefined || developed === undefined) continue;
        compared++;
        assert.match(developed, /src="\/_svc\/dev\.js"/, path);
        assert.doesNotMatch(built, /dev\.js/, path);
        const [development, production] = [developed, built].map((html) => comparable(withoutNeeds(html, needs)));
        assert.equal(development, production, path);
      }
      assert.ok(compared > 10);
    });

    it("have no development connection in production", async () => {
      for (const path of ["/_svc/dev.js", "/_svc/dev/events", "/_svc/dev/open?file=app.tsx"]) {
        assert.equal((await fetch(`${servers[0]?.url}${path}`)).status, 404, path);
      }
      const [built = "", developed = ""] = await Promise.all(
        servers.map(async ({ url }) => (await fetch(`${url}/_svc/core.js`)).text()),
      );
      assert.ok(developed.length > built.length + 1000);
    });
  });
}
