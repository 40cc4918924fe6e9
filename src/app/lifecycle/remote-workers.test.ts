/** Apps on one database with different workers, like processes on different machines: nodes run in the process with their worker. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { graph, worker } from "../../graphs/definition/definition.ts";
import { encode } from "../../graphs/execution/remote/remote-call-messages.ts";
import type { Json } from "../../platform/shared/json.ts";
import { recordLog, type RecordedLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { App } from "../app-types.ts";
import { createApp } from "../app.ts";

const SECRET = "a-secret-that-both-have-0123456789";

describe("apps with different workers", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  let near: App;
  let far: App;
  let client: pg.Client;
  const logs: RecordedLog[] = [];
  /** Executed nodes by app. */
  const ran: string[] = [];
  const go = new Map<string, () => void>();

  function appOf(name: string, workers: string): App {
    const first = worker("first", async (input: Json) => {
      ran.push(`${name}: first`);
      return input;
    });
    const double = worker("double", (value: number) => {
      ran.push(`${name}: double`);
      return value * 2;
    });
    const model = worker("model", { timeout: "5m", heartbeat: "5m" }, async (input: Json, ctx) => {
      ran.push(`${name}: model`);
      ctx.log("info", "loading");
      ctx.emit("loaded", { weights: 3 });
      ctx.progress(0.5);
      ctx.state.set("seen", ctx.attempt);
      const stepped = await ctx.step("count", ({ idempotencyKey }) => ({ key: idempotencyKey, $date: 5 }));
      await ctx.sleep("1ms");
      const said = await ctx.waitFor("go");
      const doubled = await ctx.call("twice", double, 21);
      const { bytes } = await ctx.artifact("weights.bin", new Uint8Array([1, 2, 3]));
      return { input, stepped, said, doubled, bytes, deps: ctx.deps };
    });
    const deferred = worker("held", { timeout: "5m" }, async (input: string, ctx) => {
      ran.push(`${name}: held ${input}`);
      await new Promise<void>((resolve, reject) => {
        go.set(input, resolve);
        ctx.signal.addEventListener("abort", () => {
          ran.push(`${name}: aborted ${input}`);
          reject(ctx.signal.reason as Error);
        });
      });
      return input;
    });
    const fails = worker("fails", { retry: { max: 2, base: "1ms" } }, async (_input: Json, ctx) => {
      ran.push(`${name}: fails`);
      throw Object.assign(new Error(`no luck at ${ctx.attempt}`), { name: "BadLuck" });
    });
    const rests = worker("rests", { concurrency: 1 }, async (item: string, ctx) => {
      await ctx.sleep("1ms");
      await ctx.waitFor("go");
      return item;
    });
    const after = (nodes: typeof model | typeof deferred | typeof fails, called: string) =>
      graph(called, (g) => {
        const start = g.node("start", first, { input: (input: Json) => input });
        const middle = g.node("middle", nodes as typeof model, { after: [start], input: (input: Json) => input });
        return g.node("end", first, { after: [middle], input: (_input, deps) => deps["middle"] as Json });
      });
    const log = recordLog();
    logs.push(log);
    return createApp({
      workers: [double],
      graphs: [after(model, "uses"), after(deferred, "holds"), after(fails, "misses"), after(rests, "naps")],
      log,
      env: {
        SVC_DATABASE_URL: database.url,
        SVC_SECRET: SECRET,
        SVC_ROLE: "worker",
        SVC_WORKERS: workers,
        // Messages between the apps are encrypted as well.
        SVC_PAYLOAD_KEYS: `test:${SECRET}`,
      },
    });
  }

  before(async () => {
    database = await testDatabase();
    near = appOf("near", "first,double");
    far = appOf("far", "model,held,fails,rests");
    await Promise.all([near.boot(), far.boot()]);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    for (const resume of go.values()) resume();
    await Promise.all([near.close(), far.close()]);
    await client.end();
    await database.drop();
  });

  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const endMs = Date.now() + 60_000; !(await holds());) {
      assert.ok(
        Date.now() < endMs,
        `it did not come to that: ${what}\n${ran.join("\n")}\n${logs.flatMap(({ texts }) => texts).join("\n")}`,
      );
      await new Promise((next) => setTimeout(next, 20));
    }
  };
  const viewOf = (id: string) => near.engine.snapshot(id);
  const is = (id: string, status: string) => async (): Promise<boolean> => (await viewOf(id))?.status === status;
  const middle = async (id: string) => (await viewOf(id))?.nodes.find((node) => node.id === "middle");
  const start = async (name: string, input: Json): Promise<string> =>
    (await near.engine.start(name, input)).snapshot.graph_id;

  it("execute each node in the process with its worker, with all features of its context", async () => {
    const id = await start("uses", { $bytes: "not bytes" });
    await until("it waits", async () => (await middle(id))?.status === "waiting");
    await near.engine.signal(id, "go", { by: "ada" });
    await until("it is done", is(id, "done"));
    assert.deepEqual((await viewOf(id))?.result, {
      input: { $bytes: "not bytes" },
      stepped: { key: `${id}/middle/1/count`, $date: 5 },
      said: { by: "ada" },
      doubled: 42,
      bytes: 3,
      deps: { start: { $bytes: "not bytes" } },
    });
    assert.deepEqual(ran.splice(0), ["near: first", "far: model", "near: double", "near: first"]);
    const events = await near.engine.events(id);
    assert.ok(events.some(({ type, data }) => type === "log" && JSON.stringify(data).includes("loading")));
    assert.ok(events.some(({ type, data }) => type === "custom" && JSON.stringify(data).includes("weights")));
  });

  it("continue after waits under a concurrency limit of one, which the run's process counts", async () => {
    const ids = await Promise.all(["a", "b"].map((item) => start("naps", item)));
    for (const id of ids) {
      await until("it waits", async () => (await middle(id))?.status === "waiting");
      await near.engine.signal(id, "go", null);
    }
    for (const id of ids) await until("it is done", is(id, "done"));
    ran.splice(0);
  });

  it("abort a cancelled node in the process that executes it", async () => {
    const id = await start("holds", "cancelled");
    await until("it runs", () => ran.includes("far: held cancelled"));
    await near.engine.cancel(id);
    await until("it fails", is(id, "failed"));
    await until("it is aborted", () => ran.includes("far: aborted cancelled"));
  });

  it("retry a node by its worker's options, and fail with its error", async () => {
    ran.splice(0);
    const id = await start("misses", null);
    await until("it fails", is(id, "failed"));
    assert.equal((await viewOf(id))?.error?.message, "no luck at 2");
    assert.deepEqual(ran.splice(0), ["near: first", "far: fails", "far: fails"]);
  });

  it("retry a node of a process that was declared dead, as after a crash, and ignore that process's late messages", async () => {
    const id = await start("holds", "crashed");
    await until("it runs", () => ran.includes("far: held crashed"));
    const [{ runner }] = (await client.query<{ runner: string }>("select runner from svc.node_calls")).rows as [
      { runner: string },
    ];
    const before = go.get("crashed");
    await client.query("delete from svc.processes where id = $1", [runner]);
    await until("it runs again", () => go.get("crashed") !== before);
    go.get("crashed")?.();
    await until("it is done", is(id, "done"));
    assert.equal(ran.filter((text) => text === "far: held crashed").length, 2);
    const { rows } = await client.query("select crashes from svc.node where graph_id = $1 and id = 'middle'", [id]);
    assert.deepEqual(rows, [{ crashes: 1 }]);
  });

  it("process a closing process's last messages first, so that a released node does not count as a crash", async () => {
    const id = await start("holds", "left");
    await until("it runs", () => ran.includes("far: held left"));
    const before = go.get("left");
    const { rows } = await client.query<{ id: string; runner: string; holder: string }>(
      "select id, runner, holder from svc.node_calls",
    );
    const [call] = rows as [(typeof rows)[number]];
    const locking = new pg.Client({ connectionString: database.url });
    await locking.connect();
    await locking.query("begin; lock table svc.node_messages");
    const error = { name: "Unfinished", message: "", isFinal: false };
    // The next sequence number is unknown: earlier numbers are skipped, and nobody reads later ones.
    await locking.query(
      "insert into svc.node_messages (call, to_runner, n, process, body) select $1, false, n, $2, $3 from generate_series(0, 9) n on conflict do nothing",
      [call.id, call.holder, encode({ type: "ended", settlement: { error } })],
    );
    await client.query("delete from svc.processes where id = $1", [call.runner]);
    const crashes = async () =>
      (await client.query("select crashes from svc.node where graph_id = $1 and id = 'middle'", [id]))
        .rows[0] as unknown;
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%is_gone%'";
    await until("it looks whether the process is gone", async () => {
      const { rowCount } = await client.query(waiting);
      return (rowCount ?? 0) > 0 || go.get("left") !== before;
    });
    await locking.query("commit");
    await locking.end();
    await until("it runs again", () => go.get("left") !== before);
    go.get("left")?.();
    await until("it is done", is(id, "done"));
    assert.deepEqual(await crashes(), { crashes: 0 });
  });

  it("move a node to another process when its process stops, and leave no rows behind", async () => {
    const id = await start("holds", "moved");
    await until("it runs", () => ran.includes("far: held moved"));
    const other = appOf("other", "model,held,fails,rests");
    await other.boot();
    await far.close();
    far = other;
    await until("it runs elsewhere", () => ran.includes("other: held moved"));
    go.get("moved")?.();
    await until("it is done", is(id, "done"));
    const { rows } = await client.query("select crashes from svc.node where graph_id = $1 and id = 'middle'", [id]);
    assert.deepEqual(rows, [{ crashes: 0 }]);
    const left = async () => (await client.query("select from svc.node_calls")).rowCount;
    await until("nothing is left", async () => (await left()) === 0);
  });
});
