/**
 * Moves an app from SQLite to PostgreSQL in the middle of its work, with a migration that is killed on the way. Unfinished work continues
 * on the new database and happens once.
 *
 *   MIGRATE_GRAPHS=20000 MIGRATE_KILLS=8 node --test out/test/chaos/migrate.test.js
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createApp, type App } from "svckit";
import { graph, worker } from "svckit/graph";
import { createEngine, openStore, systemClock } from "svckit/graph";
import { createReceiver, testDatabase, withoutPostgres, type Receiver, type TestDatabase } from "svckit/testing";
import { temporaryFolder } from "../e2e/demo-server.ts";

const GRAPHS = Number(process.env["MIGRATE_GRAPHS"] ?? 300);
const KILLS = Number(process.env["MIGRATE_KILLS"] ?? 2);
/** Time limit for conditions. Nothing is measured. */
const PATIENCE_MS = 60_000;
const SVC = join(fileURLToPath(import.meta.url), "../../../../bin/svc.js");

/** Calls of workers, by their purpose. */
const calls = new Map<string, number>();
const called = (what: string): number => {
  const count = (calls.get(what) ?? 0) + 1;
  calls.set(what, count);
  return count;
};

const count = worker("count", (input: string) => called(input));
const reported = worker("reported", () => "reported");
/** Its first attempt is running when the app stops. */
const long = worker("long", async (_input: string, ctx) => {
  if (called("long") > 1) return "ended";
  await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)));
  return "never";
});
const waiting = worker("waiting", async (_input: string, ctx) => {
  await ctx.step("before", async () => called("waiting before"));
  return ctx.waitFor("go");
});
const asleep = worker("asleep", async (_input: string, ctx) => {
  called("asleep");
  await ctx.sleep("3s");
  return "awake";
});
const big = worker("big", () => "ž".repeat(100_000));
const approval = graph("approval", (g) => {
  const first = g.node("first", count, { input: () => "approval first" });
  const second = g.node("second", waiting, { after: [first], input: () => "approval second" });
  g.node("third", count, { after: [second], input: () => "approval third" });
});

function makeApp(env: Record<string, string>): App {
  return createApp({
    workers: [count, reported, long, waiting, asleep, big],
    graphs: [approval],
    env: {
      SVC_SECRET: "a-secret-of-both-sides-0123456789",
      SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_LOG_LEVEL: "error",
      ...env,
    },
    drain: { deadline: "100ms" },
    webhookSchedule: ["0s", "1s", "1s", "1s", "1s", "1s", "1s", "1s"],
  });
}

interface Ended {
  code: number | null;
  lines: { type: string; [key: string]: unknown }[];
  error: string;
}

/** Runs `svc migrate`. @param killAfterMs delay from the beginning of the copy to the kill */
async function migrate(args: string[], killAfterMs?: number): Promise<Ended> {
  const child = spawn(process.execPath, [SVC, "migrate", "--json", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  let error = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  const lines: Ended["lines"] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Ended["lines"][number];
    lines.push(line);
    if (line.type === "begun" && killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  }
  return { code: await ended, lines, error };
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const endMs = performance.now() + PATIENCE_MS; !(await holds()); await sleep(20))
    assert.ok(performance.now() < endMs, `timed out after ${PATIENCE_MS} ms: ${what}`);
}

describe("svc migrate", { skip: await withoutPostgres() }, () => {
  const folder = temporaryFolder();
  const from = `sqlite:${join(folder.path, "svc.db")}`;
  const ids: Record<string, string> = {};
  let database: TestDatabase;
  let receiver: Receiver;
  let delivery: string | undefined;
  let app: App | undefined;
  const both = (): string[] => ["--from", from, "--to", database.url];
  const statusOf = async (name: string): Promise<unknown> => (await app?.engine.snapshot(ids[name] ?? ""))?.status;

  before(async () => {
    database = await testDatabase();
    receiver = await createReceiver({ replies: [503] });
    await fill();
    app = makeApp({ SVC_DATABASE_URL: from, SVC_DATA_DIR: folder.path });
    await app.boot();
    await app.webhooks.create({ url: receiver.url, workers: ["reported"], secret: "a-secret-of-the-receiver" });
    const start = async (name: string, options = {}): Promise<void> => {
      ids[name] = (await app!.engine.start(name, name, { idempotencyKey: name, ...options })).snapshot.graph_id;
    };
    await Promise.all([start("reported"), start("long"), start("approval"), start("asleep"), start("big")]);
    await start("count", { delay: 2000 });
    ids["paused"] = (await app.engine.start("waiting", "paused")).snapshot.graph_id;
    await until(async () => (await statusOf("big")) === "done", "a large result");
    await until(async () => calls.get("long") === 1 && calls.get("asleep") === 1, "all begin");
    await until(async () => calls.get("waiting before") === 2, "both wait");
    await app.engine.pause(ids["paused"], { note: "over the move" });
    delivery = (await receiver.received(1, PATIENCE_MS))[0]?.headers["x-svc-delivery"] as string;
  });
  after(async () => {
    await app?.close();
    await receiver.close();
    await database.drop();
    folder.remove();
  });

  /** Fills the database with rows to copy, and adds a schedule that is due in a year. */
  async function fill(): Promise<void> {
    const store = await openStore(from);
    const engine = createEngine({ store, clock: systemClock, workers: [count] });
    const input = { text: "x".repeat(500) };
    for (let at = 0; at < GRAPHS; at += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, GRAPHS - at) }, (_, index) =>
          engine.start("count", `${at + index} ${input.text}`, { tags: ["old"] }),
        ),
      );
    await engine.idle();
    await engine.schedule.upsert({ name: "yearly", worker: "count", cron: "0 0 1 1 *", input: "scheduled" });
    await engine.close();
    await store.close();
  }

  /** Makes the schedule fall due while no app is running. */
  async function letScheduleFallDue(): Promise<void> {
    const store = await openStore(from);
    const row = await store.schedules.schedule("yearly");
    assert.ok(row);
    await store.schedules.change("yearly", () => ({ ...row, nextMs: Date.now() - 1000 }));
    await store.close();
  }

  it("rejects a file that an app has open, and names its process", async () => {
    const { code, error } = await migrate(both());
    assert.equal(code, 1);
    assert.match(error, new RegExp(`SVC_STORE.*in use by another process \\(pid ${process.pid}\\)`));
  });

  it("resumes after each kill, and verifies that both databases are equal", async () => {
    await app?.close();
    app = undefined;
    await letScheduleFallDue();
    assert.deepEqual((await migrate([...both(), "--dry-run"])).code, 0);
    let hasBegun = false;
    for (let kill = 0; kill < KILLS; kill++) {
      const { lines } = await migrate(both(), (kill * 37) % 150);
      assert.equal(lines.find(({ type }) => type === "begun")?.["isResumed"] ?? hasBegun, hasBegun);
      hasBegun = true;
    }
    const { code, lines, error } = await migrate(both());
    assert.equal(code, 0, error);
    const tables = lines.filter(({ type }) => type === "table");
    if (tables.length > 0) {
      assert.equal(tables.find(({ table }) => table === "graph")?.["rows"], GRAPHS + 7);
      assert.ok(tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(String(sha256))));
    }
    assert.ok(lines.some(({ type }) => type === "moved" || type === "nothing"));
  });

  it("does nothing when it runs again, and rejects another target", async () => {
    const again = await migrate(both());
    assert.deepEqual([again.code, again.lines.map(({ type }) => type)], [0, ["nothing"]]);
    const other = await migrate(["--from", from, "--to", `${database.url}?schema=other`]);
    assert.equal(other.code, 1);
    assert.match(other.error, /SVC_MOVE.*was already moved to the schema svc/);
  });

  it("marks the old file, so that no app starts on it", async () => {
    const old = makeApp({ SVC_DATABASE_URL: from, SVC_DATA_DIR: folder.path });
    await assert.rejects(old.boot(), {
      code: "SVC_MOVE",
      message: /was moved to the schema svc of postgres:.*--undo-mark/,
    });
    await old.close();
  });

  it("lets all unfinished work continue on the new database, each part once", async () => {
    receiver.reply(204);
    app = makeApp({ SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path });
    await app.boot();
    const { engine } = app;
    await engine.signal(ids["approval"] ?? "", "go", "yes");
    assert.equal(await statusOf("paused"), "paused");
    await engine.resume(ids["paused"] ?? "");
    await engine.signal(ids["paused"] ?? "", "go", 1);
    for (const name of ["long", "approval", "asleep", "paused", "count", "reported", "big"])
      await until(async () => (await statusOf(name)) === "done", `${name} ends`);
    await until(async () => calls.has("scheduled"), "the schedule's run");
    const { snapshot, created } = await engine.start("reported", "reported", { idempotencyKey: "reported" });
    assert.deepEqual([snapshot.graph_id, created], [ids["reported"], false]);
    const once = ["approval first", "approval third", "count", "scheduled"];
    assert.deepEqual(
      once.map((what) => calls.get(what)),
      once.map(() => 1),
    );
    assert.equal(calls.get("waiting before"), 2, "one for each of two graphs");
    assert.equal(calls.get("long"), 2);
    assert.equal(String((await engine.snapshot(ids["big"] ?? ""))?.result).length, 100_000);
  });

  it("keeps a pending webhook delivery, which is sent under its id", async () => {
    await until(async () => (await app?.webhooks.delivery(delivery ?? ""))?.status === "delivered", "the delivery");
    assert.deepEqual([...new Set(receiver.deliveries.map(({ headers }) => headers["x-svc-delivery"]))], [delivery]);
  });

  it("keeps the numbers of events without gaps", async () => {
    for (const id of Object.values(ids)) {
      const events = (await app?.engine.events(id)) ?? [];
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, at) => at + 1),
      );
      assert.equal(events.filter(({ type }) => type === "graph.done").length, 1);
    }
    // The rows from `fill`, the delayed run, and the schedule's run.
    assert.equal((await app?.engine.list({ worker: "count", status: "done" }))?.total, GRAPHS + 2);
  });
});
