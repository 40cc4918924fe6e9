/** An app without graphs and webhooks opens a database on first use: the behavior that its users see (decision 066). */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { action, createApp, page, type App, type AppOptions } from "svckit";
import { createTestClient, recordLog, SimulatedClock, type RecordedLog, type TestClient } from "svckit/testing";

interface Made {
  app: App;
  client: TestClient;
  log: RecordedLog;
  clock: SimulatedClock;
  /** The path of its database. */
  file: string;
}

async function within(use: (made: Made, folder: string) => Promise<void>, options: AppOptions = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-late-"));
  const [log, clock, file] = [recordLog(), new SimulatedClock(), join(folder, "data", "svc.db")];
  const app = createApp({
    pages: [page("/", { title: "", view: () => "<p>here</p>" })],
    actions: { pay: action((amount: number) => amount + 1) },
    env: { SVC_DATA_DIR: join(folder, "data"), SVC_SECRET: "s".repeat(32), NODE_ENV: "test" },
    log,
    clock,
    ...options,
  });
  try {
    await use({ app, client: createTestClient(app), log, clock, file }, folder);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const pay = (client: TestClient): Promise<Response> =>
  client.post("/_svc/action/pay", { args: [1] }, { "idempotency-key": "a-key" });
const ready = async (client: TestClient): Promise<[number, string]> => {
  const response = await client.get("/ready");
  return [response.status, await response.text()];
};

describe("an app without graphs and webhooks", () => {
  it("serves pages and actions, is ready and closes, without a database", () =>
    within(async ({ app, client, file }) => {
      assert.equal((await client.get("/")).status, 200);
      assert.equal((await client.post("/_svc/action/pay", { args: [1] })).status, 200);
      assert.deepEqual(await ready(client), [200, "ready"]);
      assert.equal((await client.get("/_svc/graphs")).status, 401);
      assert.deepEqual(app.engine.queueReports(), []);
      await app.close();
      assert.ok(!existsSync(file));
    }));

  it("creates a database for the first action whose response is stored", () =>
    within(async ({ client, file }) => {
      assert.equal((await pay(client)).status, 200);
      assert.ok(existsSync(file));
      assert.equal((await pay(client)).headers.get("idempotency-replayed"), "true");
    }));

  it("has an engine, webhooks and operations like any app: using them opens the database", () =>
    within(async ({ app, client, file }) => {
      await app.boot();
      assert.deepEqual((await app.engine.list({})).items, []);
      assert.deepEqual((await app.webhooks.list(new URLSearchParams())).webhooks, []);
      const { status, graphs, webhooks, processes } = await app.operations.status();
      assert.deepEqual([status, graphs.done, webhooks, processes.length], ["ready", 0, 0, 1]);
      assert.ok(existsSync(file));
      assert.deepEqual(await ready(client), [200, "ready"]);
    }));

  it("keeps running if the database can't be opened, fails calls that need it, and is not ready until it opens", () =>
    within(async ({ client, clock, log, file }, folder) => {
      const obstacle = join(folder, "data");
      writeFileSync(obstacle, "no folder");
      assert.deepEqual(await ready(client), [503, "not ready: booting"]);
      assert.equal((await client.get("/")).status, 200);
      assert.deepEqual(await ready(client), [200, "ready"]);
      await clock.advance(1000);
      assert.equal((await pay(client)).status, 503);
      assert.deepEqual(await ready(client), [503, "not ready: svc-database"]);
      assert.ok(
        log.texts.some((text) => text.includes("Not ready")),
        log.texts.join("\n"),
      );
      assert.equal((await client.get("/")).status, 200);
      rmSync(obstacle);
      await clock.advance(1000);
      assert.deepEqual(await ready(client), [200, "ready"]);
      assert.ok(existsSync(file));
      assert.equal((await pay(client)).status, 200);
    }));

  it("also runs its own readiness checks", () =>
    within(
      async ({ app, client }) => {
        await app.boot();
        assert.deepEqual(await ready(client), [503, "not ready: mail"]);
      },
      { ready: { mail: () => assert.fail("no") } },
    ));

  it("fails its boot if an existing database is unusable", () =>
    within(async ({ app }, folder) => {
      const file = join(folder, "svc.db");
      writeFileSync(file, "This is no database, and long enough not to be an empty one.".repeat(100));
      const broken = createApp({ env: { SVC_DATA_DIR: folder }, log: recordLog() });
      await assert.rejects(broken.boot(), { code: "SVC_STORE" });
      await broken.close();
      await app.boot();
    }));
});
