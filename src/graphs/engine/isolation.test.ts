import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Worker as Thread } from "node:worker_threads";
import { systemClock } from "../../platform/shared/clock.ts";
import { openStore } from "../../storage/open-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";
import { Registry } from "./registry.ts";
import type { Engine } from "./engine-types.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Worker } from "../definition/definition-types.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-threads-"));
const file = join(folder, "isolated.mjs");
const module = pathToFileURL(file).href;

/** Declared in the worker module; here typed as in the app that imports it. */
let declared: Record<string, Worker<never, unknown>>;
let engine: Engine;

writeFileSync(
  file,
  `
import { worker } from ${JSON.stringify(new URL("../definition/definition.js", import.meta.url).href)};
import { CallError, WaitTimeoutError } from ${JSON.stringify(new URL("../execution/attempt/call-error.js", import.meta.url).href)};
const isolate = { module: import.meta.url, memoryMb: 32 };
const once = { retry: { max: 1 } };
export const echo = worker("echo", { isolate, ...once }, async (input, ctx) => {
  ctx.log("info", "in a thread");
  ctx.emit("seen", { input });
  ctx.summary("from a thread");
  const { isMainThread } = await import("node:worker_threads");
  return { input, isMainThread, attempt: ctx.attempt, key: ctx.idempotencyKey("x").split("/").at(-1) };
});
export const spins = worker("spins", { isolate, ...once, timeout: 200 }, () => { for (;;); });
export const greedy = worker("greedy", { isolate, ...once }, () => {
  const all = [];
  for (;;) all.push(new Array(100_000).fill(Math.random()));
});
export const quits = worker("quits", { isolate, ...once }, () => process.exit(3));
export const throws = worker("throws", { isolate, retry: { max: 5, nonRetryable: ["RangeError"] } }, () => {
  throw new RangeError("too far");
});
let left;
export const leaves = worker("leaves", { isolate, ...once }, async (input, ctx) => {
  const before = left;
  left = ctx;
  if (!before) return "left";
  before.log("info", "secret of the one before");
  before.state.set("whose", "the one before");
  return [ctx.state.get("whose") ?? null, await before.step("charge", () => "charged").catch((error) => error.message)];
});
export const dies = worker("dies", { isolate, ...once }, () => void setImmediate(() => process.exit(1)));
export const takes = worker("takes", { isolate, retry: { max: 5 } }, (input) => typeof input);
export const odd = worker("odd", { isolate, ...once }, () => () => 1);
let runs = 0;
export const durable = worker("durable", { isolate }, async (input, ctx) => {
  const doubled = await ctx.step("double", ({ idempotencyKey }) => (runs++, [input * 2, idempotencyKey.endsWith("double")]));
  ctx.state.set("seen", doubled);
  await ctx.checkpoint();
  await ctx.sleep(1);
  const called = await ctx.call("half", half, doubled[0]);
  const failed = await ctx.step("fails", () => { throw new TypeError("no"); }).catch((error) => error.name + error.message);
  return { doubled, called, failed, state: ctx.state.get("seen"), runs };
});
export const nests = worker("nests", { isolate, ...once }, (input, ctx) =>
  ctx.step("outer", () => ctx.sleep(1)).catch((error) => ctx.step("after", () => error.message)));
export const half = worker("half", (input) => input / 2);
const schema = { "~standard": { version: 1, vendor: "test", validate: (value) =>
  typeof value === "number" ? { value: value + 1 } : { issues: [{ message: "must be a number" }] } } };
export const waits = worker("waits", { isolate, ...once }, async (input, ctx) => {
  const late = await ctx.waitFor("never", { timeout: 1 }).catch((error) => error instanceof WaitTimeoutError);
  const failed = await ctx.call("quits", quits, null).catch((error) => [error instanceof CallError, error.node]);
  return [late, failed, await ctx.waitFor("go", { schema })];
});
`,
);

async function ended(name: string, input: unknown = null): Promise<Snapshot> {
  const { snapshot } = await engine.start(name, input as never);
  const signal = AbortSignal.timeout(60_000);
  for await (const _event of engine.subscribe(snapshot.graph_id, 0, signal));
  return (await engine.snapshot(snapshot.graph_id)) as Snapshot;
}

describe("an isolated worker", () => {
  before(async () => {
    declared = (await import(module)) as typeof declared;
    const store = await openStore("memory:");
    const takes = declared["takes"] as Worker<never, unknown>;
    const odd = graph("odd-input", (g) => g.node("takes", takes, { input: () => (() => 1) as never }));
    engine = createEngine({ store, clock: systemClock, workers: Object.values(declared), graphs: [odd] });
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  it("runs in a thread, and its logs, events and progress reach the run", async () => {
    const { result, graph_id } = await ended("echo", "hi");
    assert.deepEqual(result, { input: "hi", isMainThread: false, attempt: 1, key: "x" });
    const reported: string[] = [];
    for await (const event of engine.subscribe(graph_id, 0, AbortSignal.timeout(60_000))) reported.push(event.type);
    assert.deepEqual(
      reported.filter((type) => type === "log" || type === "custom"),
      ["log", "custom"],
    );
    assert.equal((await engine.snapshot(graph_id))?.summary, "from a thread");
  });

  it("uses the thread of an earlier attempt again", async () => {
    for (const input of [1, 2, 3]) {
      const { status, result } = await ended("echo", input);
      assert.deepEqual([status, (result as { input: number }).input], ["done", input]);
    }
  });

  it("supports steps, state, sleeps and calls like any other worker", async () => {
    const { result, nodes } = await ended("durable", 21);
    assert.deepEqual(result, { doubled: [42, true], called: 21, failed: "TypeErrorno", state: [42, true], runs: 1 });
    assert.ok(nodes.some((node) => node.id === "durable#double"));
  });

  it("gets an error from a call inside the function of a step, and continues", async () => {
    const { result } = await ended("nests");
    assert.match(String(result), /^ctx\.sleep is called inside the function of ctx\.step\("outer"\)/);
  });

  it("receives errors of the right class, and validates signals against its schemas", async () => {
    const { snapshot } = await engine.start("waits", null);
    const signal = AbortSignal.timeout(60_000);
    for await (const { type, node } of engine.subscribe(snapshot.graph_id, 0, signal))
      if (type === "node.waiting" && node === "waits#go") break;
    await assert.rejects(engine.signal(snapshot.graph_id, "go", "x"), { code: "SVC_INVALID" });
    const { last_seq: before } = await engine.signal(snapshot.graph_id, "go", 1);
    for await (const _event of engine.subscribe(snapshot.graph_id, before, signal));
    assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, [true, [true, "waits#quits"], 2]);
  });

  it("is terminated on timeout if it blocks its thread, while the server keeps responding", async () => {
    let readiness = 0;
    const timer = setInterval(() => readiness++, 10);
    const { status, error } = await ended("spins");
    clearInterval(timer);
    assert.deepEqual([status, error?.reason], ["failed", "timeout"]);
    assert.ok(readiness > 0);
  });

  it("is terminated by a cancel if it blocks its thread", async () => {
    const { snapshot } = await engine.start("spins", null);
    const cancelled = await engine.cancel(snapshot.graph_id);
    assert.equal(cancelled.error?.reason, "cancelled");
    await engine.idle();
  });

  it("fails alone, with a clear message, if it runs out of memory", async () => {
    const { error } = await ended("greedy");
    assert.equal(error?.message, 'The worker "greedy" used more memory than its 32 MB');
  });

  it("ends only its thread if it calls process.exit", async () => {
    assert.match((await ended("quits")).error?.message ?? "", /The thread of "quits" ended with code 3/);
  });

  it("does not affect the next run in its thread, whatever it left behind", async () => {
    assert.equal((await ended("leaves")).result, "left");
    const { graph_id, result, nodes } = await ended("leaves");
    assert.deepEqual(result, [null, "The worker has ended. Await all calls of its context before it returns."]);
    const reported = (await engine.events(graph_id, { after: 0, limit: 100 })).map(({ type }) => type);
    assert.ok(!reported.includes("log"), reported.join());
    assert.deepEqual(
      nodes.map(({ id }) => id),
      ["leaves"],
    );
  });

  it("gets another thread if its thread has died since", async () => {
    const begun: Thread[] = [];
    const note = (thread: Thread): void => void begun.push(thread);
    process.on("worker", note);
    try {
      assert.equal((await ended("dies")).status, "done");
      const [first] = begun;
      assert.ok(first);
      // Nobody is notified when an idle thread dies.
      first.ref();
      if (first.threadId !== -1) await once(first, "exit");
      assert.equal((await ended("dies")).status, "done");
      assert.equal(begun.length, 2);
    } finally {
      process.off("worker", note);
    }
  });

  it("fails at once, without a thread, if JSON can't represent its input", async () => {
    const begun: Thread[] = [];
    const note = (thread: Thread): void => void begun.push(thread);
    process.on("worker", note);
    const { error, nodes } = await ended("odd-input");
    process.off("worker", note);
    assert.match(
      error?.message ?? "",
      /The input of "takes" can't be computed: it is a function, which JSON can't carry/,
    );
    assert.deepEqual([nodes[0]?.attempts, begun], [1, []]);
  });

  it("keeps the names of its errors, and rejects values that can't be sent to a thread", async () => {
    const { error, nodes } = await ended("throws");
    assert.deepEqual([error?.message, nodes[0]?.attempts], ["too far", 1]);
    assert.match((await ended("odd")).error?.message ?? "", /could not be cloned/);
  });

  it("is rejected at boot if a thread can't load its module", () => {
    const refusals: [string | URL, RegExp][] = [
      ["./here.js", /worker "w" is isolated in \.\/here\.js; use a file: URL/],
      [
        pathToFileURL(join(folder, "gone.js")),
        /worker "w" is isolated in file:.*gone\.js, but this file does not exist/,
      ],
    ];
    for (const [given, message] of refusals) {
      const lost = worker("w", { isolate: { module: given } }, () => 1);
      assert.throws(() => new Registry([lost as Worker<never, unknown>], []), { code: "SVC_DEFINITION", message });
    }
    assert.throws(() => worker("w", { isolate: true as never }, () => 1), /has isolate true; use \{ module/);
    assert.throws(
      () => worker("w", { isolate: { module, memoryMb: 1 } }, () => 1),
      /memoryMb 1; use a whole number from 16/,
    );
  });
});
