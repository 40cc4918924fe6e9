/**
 * Two apps run the nodes of one run on PostgreSQL. Each kind of payload that travels between them is planted, and every row that was ever
 * written for another process is searched: messages are deleted once they are read, so triggers record them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { graph, worker } from "../../graphs/definition/definition.ts";
import { event } from "../../graphs/definition/event.ts";
import type { Json } from "../../platform/shared/json.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import type { App } from "../app-types.ts";
import { createApp } from "../app.ts";

const SECRET = "a-secret-that-both-have-0123456789";
const KINDS = [
  "input",
  "log",
  "emitted",
  "progress",
  "summary",
  "state",
  "step",
  "caught",
  "file",
  "called",
  "answer",
  "sent",
  "signal",
  "error",
  "result",
] as const;
type Kind = (typeof KINDS)[number];
const planted = (kind: Kind): string => `planted-${kind}`;

const sent = event<{ text: string }>("sent");

function appOf(url: string, workers: string, keys: string | undefined): App {
  const first = worker("first", (input: Json) => input);
  const echo = worker("echo", () => planted("answer"));
  const rich = worker("rich", { retry: { max: 1 } }, async (_input: Json, ctx) => {
    ctx.log("info", planted("log"));
    ctx.emit("found", planted("emitted"));
    ctx.progress(0.5, planted("progress"));
    ctx.summary(planted("summary"));
    ctx.state.set("seen", planted("state"));
    await ctx.step("look", () => planted("step"));
    await ctx.step("fails", () => Promise.reject(new Error(planted("caught")))).catch(() => undefined);
    await ctx.artifact("a.txt", planted("file"));
    await ctx.call("echo", echo, planted("called"));
    await ctx.waitForEvent(sent);
    await ctx.waitFor("go");
    return planted("result");
  });
  const fails = worker("fails", { retry: { max: 1 } }, () => Promise.reject(new Error(planted("error"))));
  const trip = graph("trip", (g) => {
    const start = g.node("start", first, { input: () => planted("input") });
    const middle = g.node("middle", rich, { after: [start], input: () => planted("input") });
    return g.node("end", fails, { after: [middle], input: () => null });
  });
  return createApp({
    workers: [echo],
    graphs: [trip],
    events: [sent],
    log: silentLog,
    env: {
      SVC_DATABASE_URL: url,
      SVC_SECRET: SECRET,
      SVC_ROLE: "worker",
      SVC_WORKERS: workers,
      ...(keys !== undefined && { SVC_PAYLOAD_KEYS: keys }),
    },
  });
}

/** Records each row that is written for another process. */
async function record(client: pg.Client): Promise<void> {
  await client.query(`create table public.seen (text text not null);
    create function public.note() returns trigger language plpgsql as
      $$ begin insert into public.seen values (row_to_json(new)::text); return new; end $$`);
  for (const table of ["svc.node_calls", "svc.node_messages", "svc.commands", "graphile_worker._private_jobs"])
    await client.query(
      `create trigger note after insert or update on ${table} for each row execute function public.note()`,
    );
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + 60_000; !(await holds());) {
    assert.ok(Date.now() < endMs, `it did not come to that: ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** Kinds in the rows that two apps have written for each other. */
async function exchanged(keys: string | undefined): Promise<Kind[]> {
  const database = await testDatabase();
  const [near, far] = [appOf(database.url, "first,echo", keys), appOf(database.url, "rich,fails", keys)];
  const client = new pg.Client(database.url);
  try {
    await Promise.all([near.boot(), far.boot()]);
    await client.connect();
    await record(client);
    const { snapshot } = await near.engine.start("trip", null);
    const id = snapshot.graph_id;
    const waits = (step: string) => async () =>
      (await near.engine.snapshot(id))?.nodes.some((node) => node.id === step && node.status === "waiting") === true;
    await until("it waits for the event", waits("middle#sent"));
    await near.engine.send(sent, { text: planted("sent") });
    await until("it waits for the signal", waits("middle#go"));
    // One of the two does not hold the run, and asks the other one.
    for (const app of [near, far]) await app.engine.signal(id, "go", planted("signal"));
    await until("it has failed", async () => (await near.engine.snapshot(id))?.status === "failed");
    const { rows } = await client.query<{ text: string }>("select text from public.seen");
    const content = rows.map(({ text }) => text).join("\n");
    assert.ok(rows.length > KINDS.length, "the apps have exchanged messages");
    return KINDS.filter((kind) =>
      [planted(kind), ...["hex", "base64"].map((coding) => Buffer.from(planted(kind)).toString(coding as "hex"))].some(
        (text) => content.includes(text.replace(/=+$/, "")),
      ),
    );
  } finally {
    await Promise.all([near.close(), far.close()]);
    await client.end();
    await database.drop();
  }
}

describe("rows with which processes exchange payloads", { skip: await withoutPostgres() }, () => {
  it("contain each kind of payload without keys, so that the search below would find them", async () => {
    assert.deepEqual(await exchanged(undefined), [...KINDS]);
  });

  it("contain none of them with keys", async () => {
    assert.deepEqual(await exchanged(`test:${SECRET}`), []);
  });
});
