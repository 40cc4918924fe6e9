/** docs/guide/existing-projects.md, followed in an empty folder: servers that get pages of svc. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root, startDemo, temporaryFolder } from "./demo-server.ts";
import { readGuidePage } from "./guide-page.ts";
import { run } from "./packed-app.ts";

const { files } = readGuidePage(join(root, "docs/guide/existing-projects.md"));

/** The project before svc. */
const OWN = { "package.json": '{ "name": "own", "private": true, "type": "module" }' };

describe("The guide for existing projects", () => {
  const folder = temporaryFolder();
  const env = { SVC_SECRET: "s".repeat(32) };

  before(async () => {
    for (const [file, text] of [...Object.entries(OWN), ...files]) {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), text);
    }
    // As after the page's npm install.
    for (const name of ["svckit", "vite", "express", "fastify", "hono", "@hono/node-server"]) {
      const place = join(folder.path, "node_modules", name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(name === "svckit" ? root : join(root, "node_modules", name), place, "dir");
    }
    await run(process.execPath, [join(root, "bin/svc.js"), "build"], folder.path);
  });
  after(() => folder.remove());

  for (const name of ["Express", "Fastify", "Hono"])
    it(`adds pages to a server of ${name}, whose own routes keep working, and which ends on a signal`, async () => {
      const script = `${name.toLowerCase()}-server.js`;
      const server = await startDemo({ app: folder.path, script, dataDir: join(folder.path, name), env });
      const ask = async (path: string): Promise<string> => (await fetch(server.url + path)).text();
      assert.match(await ask("/hello"), /Pages by svc/);
      assert.deepEqual(JSON.parse(await ask("/own")), { from: name });
      assert.equal((await fetch(`${server.url}/nothing`)).status, 404);
      assert.equal(await server.stop(), 0, server.output());
    });
});
