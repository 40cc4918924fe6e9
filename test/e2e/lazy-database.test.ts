/** A real process of an app without graphs: it creates a database at the first call that needs one, and opens it at each later start. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openStore } from "svckit/graph";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

const SOURCE = `
import { action, createApp, page } from "svckit";

let paid = 0;
export default createApp({
  pages: [page("/", { title: "Shop", view: () => "<p>here</p>" })],
  actions: { pay: action(() => ++paid) },
});
`;

// Inside the repository, so that "svckit" resolves to this package.
const folder = join(root, "out", `lazy-database-${process.pid}`);
mkdirSync(join(folder, "dist/server"), { recursive: true });
writeFileSync(join(folder, "dist/server/app.js"), SOURCE);
writeFileSync(join(folder, "dist/manifest.json"), JSON.stringify({ build: "0", chunks: {}, actions: [] }));
const dataDir = join(folder, ".svc");
const file = join(dataDir, "svc.db");

let server: DemoServer | undefined;
/** The visitor's cookie, kept over all starts, because idempotency keys belong to a client. */
let cookie = "";
after(async () => {
  await server?.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

// A client with the operator key would request graphs, which needs a database.
const start = (): Promise<DemoServer> => startDemo({ app: folder, dataDir, env: { SVC_EXEC_API_KEY: "" } });

async function pay(url: string): Promise<{ value: unknown; isReplayed: boolean }> {
  const given = await fetch(`${url}/_svc/token`, { headers: { cookie } });
  cookie ||= given.headers.getSetCookie().map((line) => line.split(";", 1)[0])[0] ?? "";
  const headers = {
    "content-type": "application/json",
    "x-svc-csrf": await given.text(),
    "idempotency-key": "a-key",
    cookie,
  };
  const response = await fetch(`${url}/_svc/action/pay`, { method: "POST", headers, body: '{"args":[]}' });
  const { value } = (await response.json()) as { value: unknown };
  return { value, isReplayed: response.headers.has("idempotency-replayed") };
}

describe("a process of an app without graphs", () => {
  it("answers, is ready and exits with 0 without creating a database", async () => {
    server = await start();
    assert.equal((await fetch(server.url)).status, 200);
    assert.equal((await fetch(`${server.url}/ready`)).status, 200);
    assert.equal(await server.stop(), 0, server.output());
    assert.ok(!existsSync(file));
  });

  it("creates one for a call whose response is stored, and closes it at exit", async () => {
    server = await start();
    assert.deepEqual(await pay(server.url), { value: 1, isReplayed: false });
    await assert.rejects(openStore(`sqlite:${file}`), /in use by another process/);
    assert.equal(await server.stop(), 0, server.output());
    await (await openStore(`sqlite:${file}`)).close();
  });

  it("opens an existing one at start, with the stored data", async () => {
    server = await start();
    await assert.rejects(openStore(`sqlite:${file}`), /in use by another process/);
    assert.deepEqual(await pay(server.url), { value: 1, isReplayed: true });
    assert.equal(await server.stop(), 0, server.output());
  });
});
