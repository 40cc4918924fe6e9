/** Two apps with the same definitions on one database, like two processes: one serves, the others run workers. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { recordLog } from "../../testing/log.ts";
import { graph, worker } from "../../graphs/definition/definition.ts";
import type { App } from "../app-types.ts";
import { createApp } from "../app.ts";

const SECRET = "a-secret-that-both-have-0123456789";

describe("apps on one database", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  let web: App;
  let working: App;
  /** Executions of the node `held`, by app. */
  const ran: string[] = [];
  /** Attempts of the worker `narrow` in all apps. */
  const narrow = { running: 0, most: 0 };
  const release = new Map<string, () => void>();

  function appOf(role: string, workers?: string): App {
    const deferred = worker("held", async (name: string, ctx) => {
      ran.push(`${role} ${name}`);
      await Promise.race([
        new Promise<void>((go) => release.set(name, go)),
        new Promise((_resolve, reject) =>
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)),
        ),
      ]);
      return name;
    });
    const quick = worker("quick", async (input: unknown) => input);
    const waits = worker("waits", async (_input: unknown, ctx) => ctx.waitFor("go"));
    const limited = worker("narrow", { concurrency: 2 }, async () => {
      narrow.most = Math.max(narrow.most, ++narrow.running);
      await new Promise((next) => setImmediate(next));
      narrow.running--;
    });
    const fails = worker("fails", { retry: { max: 1 } }, async () => {
      if (ran.includes("may succeed")) return "at last";
      throw new Error("no luck");
    });
    return createApp({
      workers: [deferred, quick, waits, fails, limited],
      graphs: [graph("paused", (g) => g.node("second", quick, { after: [g.node("first", deferred)] }))],
      schedules: [{ name: "often", cron: "* * * * * *", worker: "quick", overlap: "allow", catchUp: "none" }],
      log: recordLog(),
      env: {
        SVC_DATABASE_URL: database.url,
        SVC_SECRET: SECRET,
        SVC_ROLE: role,
        ...(workers !== undefined && { SVC_WORKERS: workers }),
      },
    });
  }

  before(async () => {
    database = await testDatabase();
    web = appOf("web");
    working = appOf("worker");
    await Promise.all([web.boot(), working.boot()]);
  });
  after(async () => {
    await Promise.all([web.close(), working.close()]);
    await database.drop();
  });

  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const endMs = Date.now() + 60_000; !(await holds());) {
      assert.ok(Date.now() < endMs, `it did not come to that: ${what}`);
      await new Promise((next) => setTimeout(next, 20));
    }
  };
  const is = (id: string, status: string) => async (): Promise<boolean> =>
    (await web.engine.snapshot(id))?.status === status;
  const start = async (name: string, input: string | null = null): Promise<string> =>
    (await web.engine.start(name, input)).snapshot.graph_id;

  it("report the counts and queues of all processes", async () => {
    const { snapshot } = await web.engine.start("held", "seen from afar");
    const queue = async () => (await web.operations.queues()).find(({ worker }) => worker === "held");
    // Each process saves its counts every few seconds.
    await until("that the other's queue is known", async () => (await queue())?.running === 1);
    assert.equal((await web.engine.queues.list()).find(({ worker }) => worker === "held")?.running, 0);
    release.get("seen from afar")?.();
    await until("that it is done", is(snapshot.graph_id, "done"));
    const done = async (app: App): Promise<number> => {
      const { workers } = await app.operations.activity();
      return workers.find(({ worker }) => worker === "held")?.steps.reduce((sum, step) => sum + step.done, 0) ?? 0;
    };
    await until("that both have counted it", async () => (await done(web)) === 1 && (await done(working)) === 1);
  });

  it("execute nodes in worker processes, whichever app started the run", async () => {
    const id = await start("held", "first");
    await until("it runs", () => ran.includes("worker first"));
    release.get("first")?.();
    await until("it is done", is(id, "done"));
    assert.ok(!ran.some((text) => text.startsWith("web")));
  });

  it("report the load of each process and the size of the database", async () => {
    const reported = async (): Promise<boolean> => {
      const { processes, database_bytes: bytes, disk_free_bytes: disk } = await web.operations.status();
      assert.ok(bytes !== null && bytes > 1e6 && disk === null, `${bytes} ${disk}`);
      return processes.length === 2 && processes.every((one) => one.loop_p99_ms !== null && one.memory_bytes !== null);
    };
    await until("that both have reported", reported);
    const { loop_p99_ms: p99Ms, memory_bytes: memory } = await working.operations.status();
    assert.ok(p99Ms !== null && p99Ms >= 0 && memory > 1e7);
  });

  it("announce changes of other apps", async () => {
    const reported = new Set<string>();
    const stop = web.operations.onChange((change) => reported.add(change.of === "graph" ? change.id : change.of));
    const id = await start("held", "reported");
    await until("it runs", () => ran.includes("worker reported"));
    reported.clear();
    release.get("reported")?.();
    await until("that its end is announced", () => reported.has(id));
    await working.engine.queues.pause("quick");
    await until("that the queue's change is announced", () => reported.has("controls"));
    await working.engine.queues.resume("quick");
    const { registration } = await working.webhooks.create({ url: "https://93.184.216.34/hook", enabled: false });
    await until("that the webhook's change is announced", () => reported.has("webhooks"));
    await working.webhooks.remove(registration.id);
    const third = appOf("web");
    await third.boot();
    await until("that a process has come", () => reported.has("processes"));
    reported.clear();
    await third.close();
    await until("that it has gone", () => reported.has("processes"));
    stop();
  });

  it("pause and resume a run of another process without running a node twice", async () => {
    const id = await start("paused", "steered");
    await until("it runs", () => ran.includes("worker steered"));
    assert.equal((await web.engine.pause(id)).phase, "pausing");
    release.get("steered")?.();
    await until("it is paused", is(id, "paused"));
    await web.engine.resume(id);
    await until("it is done", is(id, "done"));
    assert.equal(ran.filter((text) => text === "worker steered").length, 1);
  });

  it("reject transitions that the run's state does not allow, like a single process", async () => {
    const id = await start("quick");
    await until("it is done", is(id, "done"));
    await assert.rejects(web.engine.pause(id), { code: "SVC_TRANSITION" });
    await assert.rejects(web.engine.cancel("g_01M7ZY73K9Y52S64XY9AEBCQ2E"), { code: "SVC_NOT_FOUND" });
    const deferred = await start("held", "refused");
    await until("it runs", () => ran.includes("worker refused"));
    await assert.rejects(web.engine.resume(deferred), { code: "SVC_TRANSITION" });
    await web.engine.cancel(deferred);
    await until("it is cancelled", is(deferred, "failed"));
  });

  it("deliver a signal to another process, once per idempotency key", async () => {
    const id = await start("waits");
    await until("it waits", async () => (await web.engine.snapshot(id))?.nodes[0]?.status === "waiting");
    await web.engine.signal(id, "go", { by: "ada" }, { idempotencyKey: "k" });
    await web.engine.signal(id, "go", { by: "bob" }, { idempotencyKey: "k" });
    await until("it is done", is(id, "done"));
    assert.deepEqual((await web.engine.snapshot(id))?.result, { by: "ada" });
  });

  it("retry a run that no process holds", async () => {
    const id = await start("fails");
    await until("it has failed", is(id, "failed"));
    ran.push("may succeed");
    await web.engine.retry(id);
    await until("it is done", is(id, "done"));
  });

  it("stream the events of a run in another process", async () => {
    const id = await start("held", "followed");
    const seen: number[] = [];
    const following = (async () => {
      for await (const event of web.engine.subscribe(id, 0, AbortSignal.timeout(60_000))) {
        seen.push(event.seq);
        if (event.type === "node.started") release.get("followed")?.();
      }
    })();
    await until("it runs", () => release.has("followed"));
    release.get("followed")?.();
    await following;
    assert.deepEqual(
      seen,
      seen.map((_seq, at) => at + 1),
    );
    assert.equal(await is(id, "done")(), true);
  });

  it("start one run for each time of a schedule", async () => {
    const other = appOf("worker");
    await other.boot();
    const starts = async () => (await web.engine.list({ tag: "schedule:often", limit: 200 })).items;
    await until("three times have come", async () => (await starts()).length >= 3);
    await other.close();
    const seconds = (await starts()).map(({ nodes }) => JSON.stringify(nodes[0]));
    assert.equal(new Set(seconds).size, seconds.length);
  });

  it("pause a queue in all processes", async () => {
    await web.engine.queues.pause("quick");
    const isPaused = async (): Promise<boolean> => {
      const id = await start("quick");
      await new Promise((next) => setTimeout(next, 300));
      return (await web.engine.snapshot(id))?.status !== "done";
    };
    await until("it is paused at the other", isPaused);
    await web.engine.queues.resume("quick");
    await until(
      "all runs continue",
      async () => (await web.engine.list({ worker: "quick", status: "running" })).total === 0,
    );
  });

  const buildOf = (nodes: readonly string[], log = recordLog()): App => {
    const two = worker("increment", async (value: number) => value + 1);
    return createApp({
      graphs: [graph("changed", (g) => nodes.map((name) => g.node(name, two, { input: () => 1 })).at(-1))],
      log,
      env: { SVC_DATABASE_URL: database.url, SVC_SECRET: SECRET },
    });
  };
  const startAt = async (app: App, runAt: number) =>
    (await app.engine.start("changed", null, { at: runAt })).snapshot.graph_id;

  it("report the build id of svc build, or else a hash of their code", async () => {
    const dist = mkdtempSync(join(tmpdir(), "svc-fleet-dist-"));
    writeFileSync(join(dist, "manifest.json"), JSON.stringify({ build: "9005642f", chunks: {}, actions: [] }));
    const before = new Set((await web.operations.processes()).map(({ id }) => id));
    const [built, old, young] = [buildOf(["a", "b"]), buildOf(["a", "b"]), buildOf(["a", "c"])];
    await built.boot({ dist });
    await old.boot();
    await young.boot();
    const { processes } = await web.operations.status();
    const builds = processes.filter(({ id }) => !before.has(id)).map(({ build }) => build);
    await Promise.all([built.close(), old.close(), young.close()]);
    rmSync(dist, { recursive: true });
    assert.equal(builds[0], "9005642f");
    assert.match(builds[1] ?? "", /^[0-9a-f]{12}$/);
    assert.deepEqual([builds.length, new Set(builds).size], [3, 3]);
  });

  it("run only graphs whose nodes their build has; a run that no build can execute is parked until one can", async () => {
    const [old, young] = [buildOf(["a", "b"]), buildOf(["a", "c"])];
    await Promise.all([old.boot(), young.boot()]);
    const nodesOf = async (id: string) => (await web.engine.snapshot(id))?.nodes.map(({ id: node }) => node).join();
    const [ofOld, ofYoung] = [[] as string[], [] as string[]];
    // Due shortly, so any process may claim them.
    for (let at = 0; at < 6; at++) {
      ofOld.push(await startAt(old, Date.now() + 300));
      ofYoung.push(await startAt(young, Date.now() + 300));
    }
    for (const id of [...ofOld, ...ofYoung]) await until("it is done", is(id, "done"));
    for (const id of ofOld) assert.equal(await nodesOf(id), "a,b");
    for (const id of ofYoung) assert.equal(await nodesOf(id), "a,c");
    const left = await startAt(old, Date.now() + 2000);
    await old.close();
    const phaseOf = async () => (await web.engine.snapshot(left))?.phase;
    await until("it is parked", async () => (await phaseOf()) === "parked");
    assert.match((await web.engine.snapshot(left))?.error?.message ?? "", /no longer has the node "b"/);
    const again = buildOf(["a", "b"]);
    await again.boot();
    await until("a build with its nodes continues it", is(left, "done"));
    await Promise.all([young.close(), again.close()]);
  });

  it("leave a run that is being compensated to a build with its nodes, and so does a build that has taken it without them", async () => {
    const undone: string[] = [];
    let hangs = true;
    const made = (nodes: string[]): App => {
      const seat = (name: string) =>
        worker(
          `seat-${name}`,
          {
            compensate: async (ctx) => {
              if (hangs)
                await new Promise((_, reject) =>
                  ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)),
                );
              undone.push(name);
            },
          },
          () => name,
        );
      const fails = worker("fails-late", { retry: { max: 1 } }, () => Promise.reject(new Error("no funds")));
      const trip = graph("trip", (g) => {
        const seats = nodes.map((name) => g.node(name, seat(name)));
        return g.node("pay", fails, { after: seats, input: () => null });
      });
      return createApp({ graphs: [trip], log, env: { SVC_DATABASE_URL: database.url, SVC_SECRET: SECRET } });
    };
    const log = recordLog();
    const [old, young] = [made(["a", "b"]), made(["a", "c"])];
    await old.boot();
    const id = (await old.engine.start("trip", null)).snapshot.graph_id;
    const phaseOf = async () => (await web.engine.snapshot(id))?.phase;
    await until("it is being compensated", async () => (await phaseOf()) === "cancelling");
    await young.boot();
    await old.close();
    await until("the young build has tried it", () => log.texts.some((text) => text.includes("can't be compensated")));
    hangs = false;
    assert.deepEqual([await phaseOf(), undone], ["cancelling", []]);
    const again = made(["a", "b"]);
    await again.boot();
    await until("a build with its nodes compensates it", async () => (await phaseOf()) === "failed");
    assert.deepEqual(undone.toSorted(), ["a", "b"]);
    assert.equal(log.texts.filter((text) => text.includes("can't be compensated")).length, 1);
    await Promise.all([young.close(), again.close()]);
  });

  it("log at boot which unfinished runs of other builds they can't continue", async () => {
    const old = buildOf(["a", "b"]);
    await old.boot();
    const id = await startAt(old, Date.now() + 3_600_000);
    const log = recordLog();
    const [same, young] = [buildOf(["a", "b"], log), buildOf(["a", "c"], log)];
    await same.boot();
    const isReport = (text: string): boolean => text.includes('of "changed"');
    assert.deepEqual(log.texts.filter(isReport), []);
    await young.boot();
    const reported = log.texts.filter(isReport).toSorted();
    assert.equal(reported.length, 2);
    assert.match(reported.join("\n"), /1 unfinished run of "changed" does not fit this build\. The node "b" is gone/);
    assert.match(reported.join("\n"), /1 unfinished run of "changed" does not fit this build\. The node "c" is new/);
    await web.engine.cancel(id);
    await Promise.all([old.close(), same.close(), young.close()]);
  });

  it("send commands for a run of another build to a process with its nodes, and leave a run without such a process intact", async () => {
    const [young, first, second] = [buildOf(["a", "c"]), buildOf(["a", "b"]), buildOf(["a", "b"])];
    await Promise.all([young.boot(), first.boot(), second.boot()]);
    const later = Date.now() + 3_600_000;
    const [id, other] = [await startAt(first, later), await startAt(first, later)];
    // No process holds them now.
    await first.close();
    const phaseOf = async (graphId: string) => (await web.engine.snapshot(graphId))?.phase;
    await young.engine.signal(id, "go", 1);
    await young.engine.pause(id);
    // This app has no graph of that name.
    await web.engine.pause(other, { note: "by another" });
    assert.deepEqual([await phaseOf(id), await phaseOf(other)], ["paused", "paused"]);
    await web.engine.resume(other);
    assert.equal(await phaseOf(other), "queued");
    await web.engine.pause(other);
    await second.close();
    await assert.rejects(young.engine.resume(id), {
      code: "SVC_TRANSITION",
      message: /no process has them; resume needs them/,
    });
    await young.engine.signal(id, "go", 2, { idempotencyKey: "k" });
    await young.engine.signal(id, "go", 2, { idempotencyKey: "k" });
    assert.equal((await web.engine.events(id)).filter(({ type }) => type === "graph.signal").length, 2);
    for (const [graphId, app] of [
      [id, young],
      [other, web],
    ] as const) {
      const { status, error } = await app.engine.cancel(graphId);
      assert.deepEqual([status, error?.reason], ["failed", "cancelled"]);
      assert.match(error?.message ?? "", /nothing was compensated/);
    }
    await young.close();
  });

  it("share the concurrency limit of a worker", async () => {
    const other = appOf("worker");
    await other.boot();
    const ids = await Promise.all(Array.from({ length: 24 }, () => start("narrow")));
    for (const id of ids) await until("all have had their turn", is(id, "done"));
    await other.close();
    assert.equal(narrow.most, 2);
  });

  it("hand over their runs when they close, and list the remaining processes", async () => {
    const other = appOf("worker", "held");
    await other.boot();
    const roles = async () =>
      (await web.operations.processes()).map(({ role, workers }) => `${role} ${workers.join()}`).sort();
    assert.deepEqual(
      await roles(),
      ["web fails,held,narrow,quick,waits", "worker fails,held,narrow,quick,waits", "worker held"].sort(),
    );
    const waiting = await start("waits");
    await until("it waits", async () => (await web.engine.snapshot(waiting))?.nodes[0]?.status === "waiting");
    await working.close();
    working = appOf("worker");
    await working.boot();
    await web.engine.signal(waiting, "go", "handed over");
    await until("it is done", is(waiting, "done"));
    await other.close();
    assert.equal((await roles()).length, 2);
  });

  it("reject unknown names in SVC_WORKERS", async () => {
    const app = appOf("worker", "held,hled");
    await assert.rejects(app.boot(), {
      code: "SVC_CONFIG",
      message: /contains unknown workers: "hled"\. Workers of this app: fails, held/,
    });
    await app.close();
  });

  it("require a shared secret in production", () => {
    assert.throws(
      () => createApp({ env: { SVC_DATABASE_URL: database.url, NODE_ENV: "production" } }).config,
      /SVC_SECRET is not set, but processes that share a database/,
    );
    assert.throws(
      () => createApp({ env: { SVC_ROLE: "web" } }).config,
      /SVC_ROLE only applies to processes that share a database/,
    );
  });
});
