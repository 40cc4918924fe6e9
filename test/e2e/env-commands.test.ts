/** `svc build`, `svc start` and `svc dev` load the .env files of the app before its modules. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { rebuildDemo, root, startDemo } from "./demo-server.ts";

const FILES: Record<string, string> = {
  "app.ts": `import { createApp, route, text } from "svckit";
    const name = process.env.APP_NAME;
    // svc build loads the built app once.
    if (name === undefined) throw new Error("APP_NAME is not set");
    export default createApp({ routes: [route("GET", "/name", () => text(name))] });`,
  ".env": "APP_NAME=common\n",
  ".env.production": "APP_NAME=production\n",
  ".env.development": "APP_NAME=development\n",
};

// Inside the repository, so that "svckit" resolves to this package.
const folder = join(root, "out", `env-commands-${process.pid}`);

before(() => {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function nameUnder(command: "start" | "dev"): Promise<string> {
  const server = await startDemo({ app: folder, command, dataDir: join(folder, ".svc") });
  const text = await (await fetch(`${server.url}/name`)).text();
  await server.stop();
  return text;
}

describe("the .env files of an app", () => {
  it("are loaded by svc build and svc start, with those for production", async () => {
    await rebuildDemo(folder);
    assert.equal(await nameUnder("start"), "production");
  });

  it("are loaded by svc dev, with those for development", async () => {
    assert.equal(await nameUnder("dev"), "development");
  });
});
