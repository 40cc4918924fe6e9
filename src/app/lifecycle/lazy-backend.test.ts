import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEngine } from "../../graphs/engine/engine.ts";
import { worker } from "../../graphs/definition/definition.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { openStore } from "../../storage/open-store.ts";
import { createWebhooks } from "../../webhooks/webhooks.ts";
import type { Context } from "../../platform/http/types.ts";
import { currentContext, withContext } from "../pipeline/current-request.ts";
import { LazyBackend } from "./lazy-backend.ts";
import type { Backend } from "./backend-types.ts";

/** A lazy backend on a store in memory. Records openings and closings; `fail` and `hold` control the next opening. */
function rig() {
  const reported: string[] = [];
  let [opened, error] = [0, undefined as Error | undefined];
  let [deferred, go] = [Promise.resolve(), (): void => undefined];
  const open = async (): Promise<Backend> => {
    opened++;
    assert.throws(currentContext, "the backend outlives the request");
    await deferred;
    if (error) throw error;
    const [store, clock] = [await openStore("memory:"), new SimulatedClock()];
    const workers = [worker("double", (value: number) => value * 2)];
    const close = async (): Promise<void> => void reported.push("store closed");
    return {
      store: { ...store, close },
      engine: createEngine({ store, clock, workers }),
      webhooks: createWebhooks({ store, clock, allowCidrs: ["127.0.0.1/32"] }),
      cluster: undefined,
      figures: () => ({ loop_p99_ms: 1.5, memory_bytes: 1 }),
    };
  };
  return {
    backend: new LazyBackend({ open, onOpen: () => reported.push("open") }),
    reported,
    opened: () => opened,
    fail: (given: Error | undefined) => void (error = given),
    hold: () => {
      deferred = new Promise((resolve) => (go = resolve));
      return () => go();
    },
  };
}

const CLOSED = { code: "SVC_UNAVAILABLE" };
const FULL = new SvcError("SVC_STORE", "The disk is full");

describe("a lazy backend", () => {
  it("answers synchronous calls without opening the backend", async () => {
    const { backend, opened } = rig();
    assert.deepEqual(backend.engine.queueReports(), []);
    assert.ok(backend.engine.limits.inputBytes > 0);
    assert.equal(backend.webhooks.activeCount(), 0);
    assert.equal(backend.store.webhooks.known().size, 0);
    assert.equal(backend.figures().loop_p99_ms, null);
    await backend.engine.idle();
    assert.equal(await Promise.resolve(backend.engine), backend.engine, "a lazy object can be awaited");
    assert.equal(opened(), 0);
  });

  it("opens once for concurrent calls of any kind", async () => {
    const { backend, opened, reported } = rig();
    const [page, queues, hooks, audit] = await Promise.all([
      backend.engine.list({}),
      backend.engine.queues.list(),
      backend.webhooks.list(new URLSearchParams()),
      backend.store.audit.list({}),
    ]);
    assert.deepEqual([page.items, hooks.webhooks, audit.items], [[], [], []]);
    assert.deepEqual(
      queues.map((queue) => queue.worker),
      ["double"],
    );
    assert.equal(opened(), 1);
    assert.deepEqual(reported, ["open"]);
  });

  it("passes calls to the opened backend", async () => {
    const { backend } = rig();
    const { snapshot } = await backend.engine.start("double", 21);
    assert.equal(await backend.engine.result(snapshot.graph_id), 42);
    const types: string[] = [];
    for await (const { type } of backend.engine.subscribe(snapshot.graph_id, 0, new AbortController().signal))
      types.push(type);
    assert.equal(types.at(-1), "graph.done");
    assert.deepEqual(
      backend.engine.queueReports().map((taskQueue) => taskQueue.worker),
      ["double"],
    );
    await backend.webhooks.create({ url: "http://127.0.0.1:4000/hook" });
    assert.equal(backend.store.webhooks.known().size, 1);
    assert.equal(backend.figures().loop_p99_ms, 1.5);
  });

  it("rejects each caller if opening fails, and retries with the next call", async () => {
    const { backend, fail, opened } = rig();
    fail(FULL);
    await assert.rejects(backend.engine.list({}), FULL);
    await assert.rejects(backend.store.answers.purge(0), FULL);
    fail(undefined);
    assert.deepEqual((await backend.engine.list({})).items, []);
    assert.equal(opened(), 3);
  });

  it("passes its check until an opening fails, and again after one succeeds", async () => {
    const { backend, fail, opened } = rig();
    await backend.check();
    assert.equal(opened(), 0);
    fail(FULL);
    await assert.rejects(backend.engine.list({}), FULL);
    await assert.rejects(backend.check(), FULL);
    fail(undefined);
    await backend.check();
    await backend.check();
    assert.equal(opened(), 3);
  });

  it("does not run in the context of the request that opens it", async () => {
    const { backend, opened } = rig();
    const request = { requestId: "r_1" } as Context;
    await withContext(request, () => backend.engine.list({}));
    assert.equal(opened(), 1);
  });

  it("does not open in order to close, or after it was closed", async () => {
    const { backend, opened, reported } = rig();
    await Promise.all([backend.engine.close(0), backend.webhooks.close(0)]);
    await backend.store.close();
    await assert.rejects(backend.engine.list({}), CLOSED);
    assert.equal(opened(), 0);
    assert.deepEqual(reported, []);
  });

  it("closes a backend that is being opened", async () => {
    const { backend, hold, reported } = rig();
    const go = hold();
    const asked = backend.engine.list({});
    const closed = Promise.all([backend.engine.close(0), backend.webhooks.close(0)]).then(() => backend.store.close());
    go();
    await Promise.all([asked, closed]);
    assert.deepEqual(reported, ["open", "store closed"]);
  });
});
