/** A failed start leaves no running work behind. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { worker } from "../../graphs/definition/definition.ts";
import { text } from "../../platform/http/response/response.ts";
import { loadDriver } from "../../storage/sqlite/file/driver.ts";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import { createApp } from "../app.ts";
import type { AppOptions } from "../options.ts";
import { route } from "../pages/route.ts";

const SECRET = "a-secret-of-this-test-0123456789";

const noPostgres = await withoutPostgres();

describe("a failed start", () => {
  let folder: string;
  const signals: AbortSignal[] = [];
  const waits = worker("waits", async (_input, ctx) => {
    signals.push(ctx.signal);
    await ctx.waitFor("go");
    return null;
  });
  const file = (): string => join(folder, "app.db");
  const appOf = (options: AppOptions) =>
    createApp({
      workers: [waits],
      log: recordLog(),
      ...options,
      env: { SVC_DATABASE_URL: `sqlite:${file()}`, SVC_SECRET: SECRET, ...options.env },
    });

  /** A run that the next start resumes by calling its worker again. */
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-failed-start-"));
    const app = appOf({});
    await app.boot();
    await app.engine.start("waits", null);
    await app.engine.idle();
    await app.close();
    signals.splice(0);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Intervals that were set and not cleared. */
  function watchIntervals(t: TestContext): () => number {
    const set = t.mock.method(globalThis, "setInterval");
    const cleared = t.mock.method(globalThis, "clearInterval");
    return () => {
      const over = new Set(cleared.mock.calls.map(({ arguments: [timer] }) => timer));
      return set.mock.calls.filter(({ result }) => !over.has(result)).length;
    };
  }

  const takenUp = (): boolean[] => signals.map(({ aborted }) => aborted);

  it("calls no worker if a schedule is invalid", async () => {
    const schedules = [{ name: "often", cron: "never ever", worker: "waits" }];
    await assert.rejects(appOf({ schedules }).boot(), { code: "SVC_DEFINITION" });
    assert.deepEqual(takenUp(), []);
  });

  it("stops resumed runs, whatever fails afterwards", async (t) => {
    const left = watchIntervals(t);
    await assert.rejects(appOf({ session: { lifetime: "10ms" } }).boot(), { code: "SVC_CONFIG" });
    assert.deepEqual([takenUp(), left()], [[true], 0]);
    await assert.rejects(appOf({ extensions: { graphs: [] } }).boot(), { code: "SVC_DEFINITION" });
    assert.deepEqual([takenUp(), left()], [[true, true], 0]);
  });

  it("stops resumed runs if the store fails", async (t) => {
    const left = watchIntervals(t);
    const database = new (await loadDriver())(file());
    database.exec(
      "create trigger no_schedule before insert on schedule begin select raise(abort, 'there is no room'); end",
    );
    database.close();
    const schedules = [{ name: "often", cron: "@hourly", worker: "waits" }];
    await assert.rejects(appOf({ schedules }).boot(), /there is no room/);
    assert.deepEqual([takenUp(), left()], [[true], 0]);
  });

  it("leaves the cluster", { skip: noPostgres }, async () => {
    const database = await testDatabase();
    const env = { SVC_DATABASE_URL: database.url };
    await assert.rejects(appOf({ env, session: { lifetime: "10ms" } }).boot(), { code: "SVC_CONFIG" });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const listed = await client.query("select from svc.processes");
    await client.end();
    await database.drop();
    assert.equal(listed.rowCount, 0);
  });
});

describe("a boot with a variable that svc no longer supports", () => {
  it("logs a warning that names the variable and succeeds", async (t) => {
    const log = recordLog();
    const env = { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET, SVC_WRITER_THREAD: "on" };
    const app = createApp({ env, log });
    t.after(() => app.close());
    await app.boot();
    assert.match(log.texts.join("\n"), /SVC_WRITER_THREAD is set, but svc no longer supports it/);
  });
});

describe("an app that was closed before it booted", () => {
  it("rejects every boot, because nobody would close what it opens", async () => {
    let boots = 0;
    const app = createApp({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET },
      onBoot: () => void boots++,
      log: recordLog(),
    });
    await app.close();
    const closed = { code: "SVC_UNAVAILABLE", message: /has been closed/ };
    assert.equal((await app.fetch(new Request("http://localhost/"))).status, 503);
    await assert.rejects(app.boot(), closed);
    await assert.rejects(app.start({ host: "127.0.0.1", port: 0 }), closed);
    assert.equal(boots, 0);
  });
});

describe("onClose of an app", () => {
  it("runs once after the app has closed, for each onBoot that succeeded", async () => {
    const log: string[] = [];
    let isBroken = true;
    const app = createApp({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET },
      onBoot: () => {
        if (isBroken) throw new Error("the database is away");
        log.push("open");
      },
      onClose: () => void log.push("close"),
      log: recordLog(),
    });
    await assert.rejects(app.boot(), /the database is away/);
    assert.deepEqual(log, []);
    isBroken = false;
    await app.boot();
    await app.close();
    await app.close();
    assert.deepEqual(log, ["open", "close"]);
  });
});

describe("a failed boot of an app without its own server", () => {
  it("is retried with the next request", async (t) => {
    let boots = 0;
    const onBoot = (): void => {
      if (++boots === 1) throw new Error("the database is away");
    };
    const env = { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET };
    const routes = [route("GET", "/", () => text("here"))];
    const app = createApp({ env, onBoot, routes, log: recordLog() });
    t.after(() => app.close());
    const ask = (): Promise<Response> => app.fetch(new Request("http://localhost/"));
    await assert.rejects(ask(), /the database is away/);
    const [first, second] = await Promise.all([ask(), ask()]);
    assert.deepEqual([first.status, second.status, boots], [200, 200, 2]);
  });

  it("is not retried after the app has been closed", async () => {
    let boots = 0;
    const onBoot = (): void => {
      if (++boots === 1) throw new Error("the database is away");
    };
    const env = { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET };
    const app = createApp({ env, onBoot, log: recordLog() });
    await assert.rejects(app.boot(), /the database is away/);
    await app.close();
    const closed = { code: "SVC_UNAVAILABLE", message: /has been closed/ };
    assert.equal((await app.fetch(new Request("http://localhost/"))).status, 503);
    await assert.rejects(app.boot(), closed);
    assert.equal(boots, 1);
  });

  it("rejects all concurrent callers, and runs once for them", async (t) => {
    let boots = 0;
    const onBoot = async (): Promise<void> => {
      boots++;
      throw new Error("the database is away");
    };
    const app = createApp({ env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET }, onBoot, log: recordLog() });
    t.after(() => app.close());
    const ask = (): Promise<Response> => app.fetch(new Request("http://localhost/"));
    await Promise.all([ask(), ask()].map((asked) => assert.rejects(asked, /the database is away/)));
    assert.equal(boots, 1);
  });
});
