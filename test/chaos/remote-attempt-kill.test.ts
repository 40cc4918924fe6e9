/**
 * Nodes that run in another process than the one that holds their run, with SIGKILL of either process, and of a node that kills its own
 * process each time.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createApp, type App } from "svckit";
import { recordLog, testDatabase, withoutPostgres, type TestDatabase } from "svckit/testing";
import { graphs } from "./remote-attempt-process.ts";

const SECRET = "a-secret-that-all-have-0123456789";
const SCRIPT = join(fileURLToPath(import.meta.url), "../remote-attempt-process.js");

describe("a node in another process", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  /** Serves requests but runs no workers, so that each of the other processes may be killed. */
  let web: App;
  const children = new Map<number, ChildProcess>();
  let isOver = false;

  const envOf = (role: string, workers?: string) => ({
    SVC_DATABASE_URL: database.url,
    SVC_SECRET: SECRET,
    SVC_ROLE: role,
    SVC_LOG_LEVEL: "silent",
    ...(workers !== undefined && { SVC_WORKERS: workers }),
  });
  /** Starts a process, and replaces it whenever it is killed. */
  function boot(workers: string): Promise<void> {
    const child = spawn(process.execPath, [SCRIPT, "go"], {
      env: { ...process.env, ...envOf("worker", workers) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = child.pid as number;
    children.set(pid, child);
    child.once("exit", () => {
      children.delete(pid);
      if (!isOver) void boot(workers);
    });
    return new Promise((up) => child.stdout.once("data", () => up()));
  }
  const kill = (pid: number): void => void children.get(pid)?.kill("SIGKILL");

  before(async () => {
    database = await testDatabase();
    web = createApp({ graphs, log: recordLog(), env: envOf("web") });
    await web.boot();
    await Promise.all(["plan", "plan", "model,bomb", "model,bomb", "item", "item"].map(boot));
  });
  after(async () => {
    isOver = true;
    const exits = [...children.values()].map((child) => new Promise((gone) => child.once("exit", gone)));
    for (const pid of children.keys()) kill(pid);
    await Promise.all(exits);
    await web.close();
    await database.drop();
  });

  const start = async (name: string): Promise<string> => (await web.engine.start(name, "x")).snapshot.graph_id;
  /** Process ids of the node's attempts. @param until number of attempts to wait for. */
  async function pidsOf(id: string, until: number): Promise<number[]> {
    const pids: number[] = [];
    for await (const { type, data } of web.engine.subscribe(id, 0, AbortSignal.timeout(120_000))) {
      if (type === "custom") pids.push((data as { data: { pid: number } }).data.pid);
      if (pids.length === until) break;
    }
    return pids;
  }
  /** Follows the run to its end. */
  async function ended(id: string) {
    const seqs: number[] = [];
    const done: string[] = [];
    for await (const { seq, type, node } of web.engine.subscribe(id, 0, AbortSignal.timeout(120_000))) {
      seqs.push(seq);
      if (type === "node.done") done.push(String(node));
    }
    assert.deepEqual(
      seqs,
      seqs.map((_seq, at) => at + 1),
    );
    assert.deepEqual(done, [...new Set(done)], "each node is done once");
    const snapshot = await web.engine.snapshot(id);
    assert.ok(snapshot);
    return { snapshot, done };
  }

  it("runs again in another process when its own is killed, without repeating completed steps", async () => {
    const id = await start("uses");
    const [pid] = (await pidsOf(id, 1)) as [number];
    kill(pid);
    const { snapshot, done } = await ended(id);
    const { first, last } = snapshot.result as { first: number; last: number };
    assert.deepEqual([snapshot.status, first, last === pid], ["done", pid, false]);
    assert.deepEqual(done, ["plan", "away#load", "away"]);
    assert.equal(snapshot.nodes.find((node) => node.id === "away")?.attempts, 2);
  });

  it("is not repeated when the process that holds its run is killed", async () => {
    const id = await start("uses");
    const [pid] = (await pidsOf(id, 1)) as [number];
    // One of these processes holds the run.
    for (const { host, workers } of await web.operations.processes())
      if (workers.includes("plan")) kill(Number(host.split("/").at(-1)));
    const { snapshot, done } = await ended(id);
    assert.equal(snapshot.status, "done");
    assert.equal((snapshot.result as { first: number }).first, pid);
    assert.deepEqual(done, ["plan", "away#load", "away"]);
  });

  it("is not tried a fourth time if it kills its process each time, and its run fails as poison", async () => {
    const id = await start("explodes");
    const { snapshot } = await ended(id);
    assert.deepEqual([snapshot.status, snapshot.error?.reason, snapshot.error?.node], ["failed", "poison", "away"]);
    assert.equal(snapshot.nodes.find((node) => node.id === "away")?.attempts, 3);
    // Other runs continue.
    const next = await start("uses");
    const [pid] = (await pidsOf(next, 1)) as [number];
    kill(pid);
    assert.equal((await ended(next)).snapshot.status, "done");
  });

  it("of a fan-out runs again when all processes that run its items are killed, and is done once", async () => {
    const id = await start("wide");
    // Each process has one slot, so there are two processes. On a machine that stalled, one may have been given up, and both items ran in the other.
    for (const pid of new Set(await pidsOf(id, 2))) kill(pid);
    const { snapshot, done } = await ended(id);
    assert.match(JSON.stringify(snapshot.result), /^\["x1 at [2-9]","x2 at [2-9]"\]$/);
    assert.deepEqual(done.toSorted(), ["each/0", "each/1", "plan"]);
  });
});
