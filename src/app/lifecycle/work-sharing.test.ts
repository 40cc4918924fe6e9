/** Apps of one build on one database, as processes would be: what waits for a place in one runs in places of the others. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import pg from "pg";
import { graph, worker } from "../../graphs/definition/definition.ts";
import type { MapOptions } from "../../graphs/definition/builder-types.ts";
import type { WorkerOptions } from "../../graphs/definition/worker-types.ts";
import { recordLog, type RecordedLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { App } from "../app-types.ts";
import { createApp } from "../app.ts";

const SECRET = "a-secret-that-all-have-0123456789";

interface Run {
  app: string;
  item: string;
  worker: string;
  end: () => void;
  isOver: boolean;
  isAborted: boolean;
}

describe("apps with places to spare", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  let client: pg.Client;
  let apps: App[] = [];
  const runs: Run[] = [];
  /** How many of an app, of a worker and of a worker's key have run at once, at the most. */
  const most = new Map<string, number>();
  const logs: RecordedLog[] = [];

  /** @param code what tells a build from another. */
  function appOf(app: string, code = "one"): App {
    const list = worker("list", (items: string[]) => items);
    const held = (name: string, options: WorkerOptions<string>) => {
      const run = async (item: string, { signal }: { signal: AbortSignal }): Promise<string> => {
        const mine: Run = { app, item, worker: name, end: () => undefined, isOver: false, isAborted: false };
        const ended = new Promise<void>((end, fail) => {
          mine.end = end;
          signal.addEventListener("abort", () => {
            mine.isAborted = true;
            fail(signal.reason as Error);
          });
        });
        runs.push(mine);
        noteMost(mine);
        await ended.finally(() => (mine.isOver = true));
        return item.toUpperCase();
      };
      const other = async (item: string): Promise<string> => {
        runs.push({ app, item, worker: name, end: () => undefined, isOver: true, isAborted: false });
        return item;
      };
      return worker(name, options, code === "one" ? run : other);
    };
    const fan = (name: string, options: WorkerOptions<string>, map: MapOptions = {}) =>
      graph(`fan-${name}`, (g) => g.map("each", held(name, options), g.node("list", list), (items) => items, map));
    const log = recordLog();
    logs.push(log);
    return createApp({
      graphs: [
        fan("auto", { perProcess: 2 }),
        fan("always", { perProcess: 1, spread: "always" }),
        fan("never", { perProcess: 1, spread: "never" }),
        fan("few", { perProcess: 1, spread: "always" }, { concurrency: 3 }),
        fan("total", { perProcess: 1, spread: "always", concurrency: 2 }),
        fan("keyed", {
          perProcess: 1,
          spread: "always",
          concurrency: { limit: 1, key: (item) => item.slice(0, 1), total: 9 },
        }),
        fan("timed", { perProcess: 1, spread: "always", timeout: "300ms", retry: { max: 9, base: "1ms" } }),
      ],
      log,
      env: { SVC_DATABASE_URL: database.url, SVC_SECRET: SECRET, SVC_ROLE: "worker" },
    });
  }

  async function boot(...named: [name: string, code?: string][]): Promise<[App, ...App[]]> {
    apps = named.map(([name, code]) => appOf(name, code));
    await Promise.all(apps.map((app) => app.boot()));
    // Each is to know of the others.
    const listed = async (): Promise<number> => (await first().operations.processes()).length;
    await until("all are listed", async () => (await listed()) === apps.length);
    return apps as [App, ...App[]];
  }
  const first = (): App => apps[0] ?? assert.fail("nothing is up");

  before(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    for (const run of runs) run.end();
    await Promise.all(apps.map((app) => app.close()));
    apps = [];
    runs.splice(0);
    most.clear();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const endMs = Date.now() + 60_000; !(await holds());) {
      const state = runs.map(({ app, item, isOver }) => `${app}: ${item}${isOver ? "" : " …"}`);
      assert.ok(
        Date.now() < endMs,
        `it did not come to that: ${what}\n${state.join("\n")}\n${logs.flatMap(({ texts }) => texts).join("\n")}`,
      );
      await new Promise((next) => setTimeout(next, 20));
    }
  };
  const start = async (name: string, items: string[]): Promise<string> =>
    (await first().engine.start(`fan-${name}`, items)).snapshot.graph_id;
  const open = (app?: string): Run[] => runs.filter((run) => !run.isOver && (app === undefined || run.app === app));
  /** As one begins: none that ran beside another is overlooked, however short they are. */
  function noteMost({ app, worker: name, item }: Run): void {
    const beside = open().filter((run) => run.worker === name);
    const note = (what: string, count: number): void => void most.set(what, Math.max(most.get(what) ?? 0, count));
    note(name, beside.length);
    note(`${name} in ${app}`, beside.filter((run) => run.app === app).length);
    const key = item.slice(0, 1);
    note(`${name} of ${key}`, beside.filter((run) => run.item.startsWith(key)).length);
  }
  /** Ends what runs until the graph has ended. */
  const finish = async (id: string) => {
    await until("it is done", async () => {
      for (const run of open()) run.end();
      return (await first().engine.snapshot(id))?.status !== "running";
    });
    return (await first().engine.snapshot(id)) ?? assert.fail();
  };
  const crashes = async (id: string): Promise<unknown[]> =>
    (await client.query("select id, crashes from svc.node where graph_id = $1 and crashes > 0 order by id", [id])).rows;
  const items = ["a1", "b1", "c1", "a2", "b2", "c2"];

  it("run what has waited for long, each once, while the graph's process goes on with others", async () => {
    await boot(["near"], ["far"]);
    const id = await start("auto", items);
    await until("two run there, and two here", () => open("near").length === 2 && open("far").length === 2);
    const done = await finish(id);
    assert.deepEqual(done.result, ["A1", "B1", "C1", "A2", "B2", "C2"]);
    assert.deepEqual(runs.map(({ item }) => item).sort(), [...items].sort());
    const left = async () => (await client.query("select from svc.node_calls where graph_id <> ''")).rowCount;
    await until("nothing is left of it", async () => (await left()) === 0);
  });

  it("are handed nothing where they are of another build, and nothing that is to stay", async () => {
    await boot(["near"], ["far"], ["old", "two"]);
    const stays = await start("never", items);
    const goes = await start("always", items);
    await until("both run one", () => open("far").length === 1 && open("near").length === 2);
    await finish(goes);
    assert.equal((await finish(stays)).status, "done");
    // Each of those that may not leave ran once more where its graph is.
    assert.deepEqual([...new Set(runs.map(({ app }) => app))].sort(), ["far", "near"]);
    assert.ok(runs.filter(({ app }) => app === "far").length <= items.length - 1);
  });

  it("run no more of a fan-out at once than it allows, however many places there are", async () => {
    await boot(["near"], ["far"], ["third"], ["fourth"]);
    const id = await start("few", items);
    await until("three run", () => open().length === 3);
    for (let left = 0; left < 3; left++) {
      open()[0]?.end();
      await until("another takes its place", () => open().length >= 3);
    }
    assert.equal((await finish(id)).status, "done");
    assert.equal(most.get("few"), 3);
  });

  it("run no more of a worker at once than its total, nor of a key than its limit", async () => {
    await boot(["near"], ["far"], ["third"]);
    const total = await start("total", items);
    await until("two run", () => open().length === 2);
    assert.equal((await finish(total)).status, "done");
    const keyed = await start("keyed", items);
    await until("one of each key runs", () => open().length === 3);
    assert.equal((await finish(keyed)).status, "done");
    const limits = ["total", "keyed", "keyed of a", "keyed of b", "keyed of c", "total in near", "keyed in near"];
    assert.deepEqual(
      limits.map((what) => most.get(what)),
      [2, 3, 1, 1, 1, 1, 1],
    );
  });

  it("stop what runs when its graph is cancelled, and start none of a queue that is paused", async () => {
    const [near] = await boot(["near"], ["far"]);
    const id = await start("always", items);
    await until("one runs there", () => open("far").length === 1);
    await near.engine.queues.pause("always");
    const [there] = open("far") as [Run];
    await near.engine.cancel(id);
    await until("it is told", () => there.isAborted);
    const next = await start("always", ["z"]);
    assert.deepEqual(near.engine.lanes().find(({ worker }) => worker === "always")?.running, 0);
    await near.engine.queues.resume("always");
    assert.equal((await finish(next)).status, "done");
  });

  it("end a node that is over its time, which is tried again", async () => {
    await boot(["near"], ["far"]);
    const id = await start("timed", ["a1", "a2"]);
    await until("one was ended there", () => runs.some(({ app, isAborted }) => app === "far" && isAborted));
    assert.equal((await finish(id)).status, "done");
  });

  it("leave nodes off when they stop, and they run again without a crash", async () => {
    const [, far] = await boot(["near"], ["far"]);
    const id = await start("always", items);
    await until("one runs there", () => open("far").length === 1);
    await far?.close();
    assert.equal((await finish(id)).status, "done");
    assert.deepEqual(await crashes(id), []);
  });

  it("that die with a node have it run again as after a crash; what they still say is not heard", async () => {
    await boot(["near"], ["far"]);
    const id = await start("always", items);
    await until("one runs there", () => open("far").length === 1);
    const [there] = open("far") as [Run];
    await client.query(
      "delete from svc.processes where id in (select runner from svc.node_calls where runner is not null)",
    );
    await until("it runs again", () => {
      for (const run of open("near")) run.end();
      return runs.filter(({ item }) => item === there.item).length > 1;
    });
    assert.equal((await finish(id)).status, "done");
    assert.deepEqual((await crashes(id)).length, 1);
  });

  it("are no reason to count a crash against a node when the process of its graph dies", async () => {
    await boot(["near"], ["far"]);
    const id = await start("always", items);
    await until("one runs there, and one here", () => open("far").length === 1 && open("near").length === 1);
    const [there] = open("far") as [Run];
    const [here] = open("near") as [Run];
    const at = items.indexOf(here.item);
    const noted =
      "select from svc.node_calls where holder = (select holder from svc.graph where id = $1) and graph_id = $1";
    await until("where it runs is noted", async () => ((await client.query(noted, [id])).rowCount ?? 0) > 0);
    // As whoever finds it dead does.
    const holder = (await client.query<{ holder: string }>("select holder from svc.graph where id = $1", [id])).rows[0]
      ?.holder;
    await client.query("update svc.processes set number = 2000000000 where id = $1", [holder]);
    await until("it is told that nobody wants it", () => there.isAborted);
    assert.equal((await finish(id)).status, "done");
    assert.deepEqual(await crashes(id), [{ id: `each/${at}`, crashes: 1 }]);
  });
});
