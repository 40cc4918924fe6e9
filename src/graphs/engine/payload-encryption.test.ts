/** Everything that an app and its visitors put into runs is encrypted in the database: each kind of payload is planted and searched for. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import pg from "pg";
import type { Json } from "../../platform/shared/json.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import { graph, worker } from "../definition/definition.ts";
import { event } from "../definition/event.ts";
import { bench, outboxRow, type Bench } from "./engine.testkit.ts";

/** Kinds of payloads. Each is planted as `planted-<kind>`. */
const KINDS = [
  "input",
  "nodeinput",
  "step",
  "state",
  "log",
  "emitted",
  "progress",
  "summary",
  "file",
  "signal",
  "called",
  "childinput",
  "error",
  "cause",
  "result",
  "past",
  "late",
  "sent",
  "grouped",
  "scheduled",
  "response",
  "answer",
  "audited",
  "long",
] as const;
const planted = (kind: (typeof KINDS)[number]): string => `planted-${kind}`;

const sent = event<{ order: string; text: string }>("sent");
const grouped = event<{ text: string }>("grouped");
const echo = worker("echo", (value: Json) => value);
const rich = worker("rich", async (input: { text: string }, ctx) => {
  ctx.log("info", planted("log"));
  ctx.emit("found", planted("emitted"));
  ctx.progress(0.5, planted("progress"));
  ctx.summary(planted("summary"));
  ctx.state.set("seen", planted("state"));
  await ctx.step("look", () => planted("step"));
  await ctx.step("long", () => planted("long").repeat(10_000));
  await ctx.artifact("a.txt", planted("file"));
  await ctx.call("call", echo, planted("called"));
  const { data } = await ctx.waitForEvent(sent, { match: { order: "7" } });
  return { given: input.text, data, signal: await ctx.waitFor<Json>("go"), result: planted("result") };
});
const fails = worker("fails", { retry: { max: 1 } }, () => {
  throw new Error(planted("error"), { cause: new Error(planted("cause")) });
});
const all = graph("all", (g) => {
  const start = g.node("start", echo, { input: () => planted("nodeinput") });
  return g.node("rich", rich, { after: [start], input: (input: { text: string }) => input });
});
const broken = graph("broken", (g) => {
  const first = g.node("first", echo, { input: () => planted("past") });
  return g.node("last", fails, { after: [first], input: () => null });
});
const batched = graph("batched", (g) => g.node("echo", echo), {
  on: grouped,
  batchEvents: { maxSize: 9, timeout: "1h" },
});
const parent = graph("parent", (g) => g.node("child", all, { input: () => ({ text: planted("childinput") }) }));

/** Writes each kind once. */
async function plant(url: string): Promise<Bench> {
  const table = await bench(
    {
      workers: [echo],
      graphs: [all, broken, batched, parent],
      schedules: [{ name: "daily", worker: "echo", cron: "0 0 * * *", input: planted("scheduled") }],
      outboxRows: (ended) => [outboxRow(ended)],
    },
    url,
  );
  const { engine, store } = table;
  await engine.recover();
  const { snapshot } = await engine.start(all, { text: planted("input") });
  await engine.start(parent, null);
  await engine.idle();
  await engine.send(sent, { order: "7", text: planted("sent") });
  await engine.send(grouped, { text: planted("grouped") });
  await engine.idle();
  await engine.signal(snapshot.graph_id, "go", planted("signal"));
  const { snapshot: failed } = await engine.start(broken, null);
  await engine.idle();
  await engine.retry(failed.graph_id, { from: "first" });
  await engine.idle();
  const late = await engine.start("echo", null, { delay: "30d" });
  await engine.signal(late.snapshot.graph_id, "later", planted("late"));
  const [delivery] = (await store.webhooks.listDeliveries({ graphId: snapshot.graph_id })).items;
  assert.ok(delivery);
  const attempt = {
    deliveryId: delivery.id,
    number: 1,
    startedMs: 1,
    durationMs: 1,
    statusCode: 200,
    error: undefined,
  };
  const rest = { response: planted("response"), responseHeaders: undefined, timings: undefined };
  await store.webhooks.recordAttempts([{ attempt: { ...attempt, ...rest }, change: { status: "delivered" } }]);
  await store.answers.claim({ id: "a", bodyHash: "h", createdMs: 1, answer: undefined }, 0);
  await store.answers.settle("a", 200, planted("answer"));
  await store.audit.add({
    atMs: 1,
    actor: "op",
    address: undefined,
    operation: "graph.signal",
    target: "g",
    note: undefined,
    data: planted("audited"),
  });
  return table;
}

/** Kinds that occur in the content of a database. Bytes of PostgreSQL are hexadecimal. */
const foundIn = (content: string): string[] =>
  KINDS.filter((kind) =>
    [planted(kind), Buffer.from(planted(kind)).toString("hex")].some((text) => content.includes(text)),
  );

async function inSqlite(prefix: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "svc-planted-"));
  try {
    const { store } = await plant(`${prefix}sqlite:${join(folder, "svc.db")}`);
    const files = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n");
    const open = files();
    await store.close();
    return foundIn(open + files());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inPostgres(prefix: string): Promise<string[]> {
  const database = await testDatabase();
  const client = new pg.Client(database.url);
  try {
    const { store } = await plant(`${prefix}${database.url}`);
    await client.connect();
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'svc'",
    );
    let content = "";
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select row_to_json(t)::text as text from svc.${name} t`);
      content += rows.map(({ text }) => text).join("\n");
    }
    await store.close();
    return foundIn(content);
  } finally {
    await client.end();
    await database.drop();
  }
}

const noPostgres = await withoutPostgres();

describe("Payloads of runs", () => {
  it("are found in an SQLite file without keys, each kind, so that the search below would find them", async () => {
    assert.deepEqual(await inSqlite(""), [...KINDS]);
  });

  it("are in no SQLite file and no log of one with keys, whatever their kind", async () => {
    assert.deepEqual(await inSqlite("encrypted "), []);
  });

  it("are in no table of PostgreSQL with keys, and in some without", { skip: noPostgres }, async () => {
    assert.deepEqual(await inPostgres(""), [...KINDS]);
    assert.deepEqual(await inPostgres("encrypted "), []);
  });
});
