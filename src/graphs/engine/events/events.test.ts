import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../platform/shared/json.ts";
import type { StandardSchema } from "../../../platform/shared/schema.ts";
import type { Store } from "../../../storage/contract/contract.ts";
import { graph, worker } from "../../definition/definition.ts";
import { event } from "../../definition/event.ts";
import { bench, gate, PLACES, STORES } from "../engine.testkit.ts";
import type { Engine } from "../engine-types.ts";

type Order = { orderId: string };

const orderPlaced = event<Order>("order.placed");
const orderPaid = event<Order & { cents: number }>("order.paid");
const orderCancelled = event<Order>("order.cancelled");

const pay = worker("pay", async ({ orderId }: Order, ctx) => {
  const paid = await ctx.waitForEvent(orderPaid, { match: { orderId }, timeout: "1d" });
  return { orderId, cents: paid.data.cents };
});
const order = graph("order", (g) => g.node("pay", pay), {
  on: orderPlaced,
  cancelOn: [{ event: orderCancelled, match: ({ orderId }) => ({ orderId }) }],
});
const audit = graph(
  "audit",
  (g) =>
    g.node(
      "note",
      worker("note", ({ orderId }: Order) => orderId),
    ),
  { on: orderPlaced },
);

const runsOf = async (engine: Engine, name: string) => {
  const { items } = await engine.list({ worker: name });
  const runs = items.map(({ input, status, result }) => ({ input, status, result }));
  // Starts of several events may overlap.
  return runs.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
};

const resultOf = async (engine: Engine, graphId: string): Promise<Json | undefined> =>
  (await engine.snapshot(graphId))?.result;

/** A schema that accepts texts, and gives the worker their length. */
const textLength: StandardSchema<string, number> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof value === "string" ? { value: value.length } : { issues: [{ message: "must be a text", path: ["text"] }] },
  },
};

for (const url of STORES)
  describe(`An event with ${url}`, () => {
    it("starts a run of each graph that names it in `on`, with its data as the input and the event as the origin", async () => {
      const { engine, store } = await bench({ graphs: [order, audit] }, url);
      const sent = await engine.send(orderPlaced, { orderId: "o1" });
      assert.equal(sent.created, true);
      await engine.idle();
      assert.deepEqual(await runsOf(engine, "audit"), [{ input: { orderId: "o1" }, status: "done", result: "o1" }]);
      assert.deepEqual(await runsOf(engine, "order"), [{ input: { orderId: "o1" }, status: "running", result: null }]);
      const [run] = (await engine.list({ worker: "audit" })).items;
      assert.deepEqual(run?.origin, { kind: "event", name: "order.placed" });
      await store.close();
    });

    it("with an id is handled once, also if it is sent again after a crash or by two callers at once", async () => {
      const table = await bench({ graphs: [audit] }, url);
      const send = () => table.engine.send(orderPlaced, { orderId: "o1" }, { id: "evt_1" });
      const [first, second] = await Promise.all([send(), send()]);
      assert.notEqual(first.created, second.created);
      await table.crash();
      assert.deepEqual(await send(), { id: "evt_1", created: false });
      await table.engine.idle();
      assert.equal((await runsOf(table.engine, "audit")).length, 1);
      await table.store.close();
    });

    it("that was stored before the process died starts its runs at the next start, once", async () => {
      const table = await bench({ graphs: [audit] }, url);
      const row = { name: "order.placed", id: "evt_1", position: 1, data: { orderId: "o1" } };
      await table.store.sentEvents.add(row);
      await table.crash();
      await table.engine.idle();
      assert.equal((await runsOf(table.engine, "audit")).length, 1);
      // The process dies again, before it has recorded that the event was handled.
      await table.store.sentEvents.purge(Number.MAX_SAFE_INTEGER, 10);
      await table.store.sentEvents.add(row);
      await table.crash();
      await table.engine.idle();
      assert.equal((await runsOf(table.engine, "audit")).length, 1);
      assert.deepEqual(await table.store.sentEvents.pending(-1, Number.MAX_SAFE_INTEGER, 10), []);
      await table.store.close();
    });

    it("is routed again after a fault of the store", async () => {
      let faults = 2;
      const table = await bench({ graphs: [audit] }, url);
      const failing = failingStarts(table.store, () => faults-- > 0);
      await table.crash({ store: failing });
      await table.engine.send(orderPlaced, { orderId: "o1" });
      await table.pass(1000);
      await table.pass(1000);
      assert.equal((await runsOf(table.engine, "audit")).length, 1);
      assert.match(table.logs.join("\n"), /could not reach all its runs/);
      await table.store.close();
    });

    it("that is in the store although its write has failed is routed, also if it is not sent again", async () => {
      const table = await bench({ graphs: [audit] }, url);
      await table.crash({ store: unsureAdds(table.store) });
      // Until the process has read what an earlier one has left.
      await table.engine.idle();
      const send = () => table.engine.send(orderPlaced, { orderId: "o1" }, { id: "evt_1" });
      await assert.rejects(send(), /connection lost/);
      assert.deepEqual(await send(), { id: "evt_1", created: false });
      await table.pass(1000);
      assert.deepEqual(await runsOf(table.engine, "audit"), [
        { input: { orderId: "o1" }, status: "done", result: "o1" },
      ]);
      await table.store.close();
    });

    it("resumes every run that waits for it and matches, and no other", async () => {
      const table = await bench({ graphs: [order] }, url);
      for (const orderId of ["o1", "o1", "o2"]) await table.engine.send(orderPlaced, { orderId });
      await table.engine.idle();
      await table.engine.send(orderPaid, { orderId: "o1", cents: 5 });
      await table.engine.idle();
      const statuses = (await runsOf(table.engine, "order")).map(({ input, status }) => [
        (input as Order).orderId,
        status,
      ]);
      assert.deepEqual(statuses, [
        ["o1", "done"],
        ["o1", "done"],
        ["o2", "running"],
      ]);
      // The steps no longer wait, so the store has no entry for them.
      assert.deepEqual((await table.store.graphs.awaiting("order.paid", 10)).length, 1);
      await table.store.close();
    });

    it("cancels unfinished runs whose input matches `cancelOn`, and says so", async () => {
      const table = await bench({ graphs: [order] }, url);
      for (const orderId of ["o1", "o2"]) await table.engine.send(orderPlaced, { orderId });
      // In the order of sending: the run of o1 exists before it is cancelled.
      await table.engine.send(orderCancelled, { orderId: "o1" });
      await table.engine.idle();
      const { items } = await table.engine.list({ worker: "order", status: "cancelled" });
      assert.deepEqual(
        items.map(({ input, error }) => [input, error?.message]),
        [[{ orderId: "o1" }, 'Cancelled by the event "order.cancelled"']],
      );
      assert.deepEqual(
        (await runsOf(table.engine, "order")).map(({ status }) => status),
        ["failed", "running"],
      );
      // A cancelled run waits for nothing.
      assert.equal((await table.store.graphs.awaiting("order.paid", 10)).length, 1);
      await table.store.close();
    });

    it("does not cancel the run that it starts, so a newer event can replace older runs", async () => {
      const newest = graph("newest", (g) => g.node("pay", pay), {
        on: orderPlaced,
        cancelOn: [{ event: orderPlaced, match: ({ orderId }) => ({ orderId }) }],
      });
      const { engine, store } = await bench({ graphs: [newest] }, url);
      await engine.send(orderPlaced, { orderId: "o1" });
      await engine.idle();
      await engine.send(orderPlaced, { orderId: "o1" });
      await engine.idle();
      assert.deepEqual(
        (await runsOf(engine, "newest")).map(({ status }) => status),
        ["failed", "running"],
      );
      await store.close();
    });

    it("is validated by its schema when it is sent, and receivers get the schema's output", async () => {
      const named = event("named", textLength);
      const size = graph(
        "size",
        (g) =>
          g.node(
            "same",
            worker("same", (length: number) => length),
          ),
        { on: named },
      );
      const waits = worker("waits", async (_: Json, ctx) => (await ctx.waitForEvent(named)).data);
      const { engine, store } = await bench({ graphs: [size], workers: [waits] }, url);
      const { snapshot } = await engine.start("waits", null);
      await engine.idle();
      const issues = [{ path: ["data", "text"], message: "must be a text" }];
      await assert.rejects(engine.send("named", 7), { code: "SVC_INVALID", issues });
      await assert.rejects(engine.send(named, 7 as unknown as string), { code: "SVC_INVALID", issues });
      await engine.send(named, "four");
      await engine.idle();
      assert.deepEqual(await runsOf(engine, "size"), [{ input: 4, status: "done", result: 4 }]);
      assert.equal(await resultOf(engine, snapshot.graph_id), 4);
      await store.close();
    });

    it("is kept for the retention time, then it is deleted and its id is new again", async () => {
      const { engine, store, pass } = await bench({ eventRetention: "1h" }, url);
      await engine.send("x", 1, { id: "a" });
      await engine.idle();
      await pass(3_600_000 + 60_000);
      await engine.send("y", 2);
      await engine.idle();
      const { events } = await engine.sentEvents();
      assert.deepEqual(
        events.map(({ name, data, pending }) => [name, data, pending]),
        [["y", 2, false]],
      );
      assert.equal((await engine.send("x", 1, { id: "a" })).created, true);
      await engine.idle();
      await store.close();
    });

    it("is listed newest first, page by page", async () => {
      const { engine, store } = await bench({}, url);
      for (const n of [1, 2, 3]) await engine.send("x", n);
      await engine.idle();
      const first = await engine.sentEvents({ name: "x", limit: 2 });
      assert.deepEqual(
        first.events.map(({ data }) => data),
        [3, 2],
      );
      const second = await engine.sentEvents({ limit: 2, cursor: first.nextCursor ?? "" });
      assert.deepEqual([second.events.map(({ data }) => data), second.nextCursor], [[1], undefined]);
      await store.close();
    });

    it("with an invalid name or id is rejected", async () => {
      const { engine, store } = await bench({}, url);
      await assert.rejects(engine.send("1", null), { code: "SVC_INVALID", message: /^"name" must be a letter/ });
      await assert.rejects(engine.send("x", null, { id: "" }), { code: "SVC_INVALID", message: /^"id" must be/ });
      await store.close();
    });
  });

for (const url of PLACES)
  describe(`A wait for an event with ${url}`, () => {
    it("receives an event that was sent after the run's start and before the wait", async () => {
      const until = gate();
      const late = worker("late", async ({ orderId }: Order, ctx) => {
        await until.promise;
        return (await ctx.waitForEvent(orderPaid, { match: { orderId } })).data.cents;
      });
      const { engine, store } = await bench({ workers: [late] }, url);
      const { snapshot } = await engine.start("late", { orderId: "o1" });
      await engine.send(orderPaid, { orderId: "o2", cents: 1 });
      await engine.send(orderPaid, { orderId: "o1", cents: 5 });
      until.open();
      await engine.idle();
      assert.equal(await resultOf(engine, snapshot.graph_id), 5);
      await store.close();
    });

    it("receives an event from before the run's start only within its `lookback`", async () => {
      const look = worker("look", async (lookback: string, ctx) =>
        ctx.waitForEvent(orderPaid, { lookback, timeout: "1m" }).then(
          ({ data }) => data.cents,
          () => "none",
        ),
      );
      const { engine, store, pass } = await bench({ workers: [look] }, url);
      await engine.send(orderPaid, { orderId: "o1", cents: 5 });
      await engine.idle();
      await pass(10_000);
      const [short, long] = await Promise.all(["5s", "1h"].map((lookback) => engine.start("look", lookback)));
      await engine.idle();
      await pass(60_000);
      assert.deepEqual(
        [await resultOf(engine, short?.snapshot.graph_id ?? ""), await resultOf(engine, long?.snapshot.graph_id ?? "")],
        ["none", 5],
      );
      await store.close();
    });

    it("receives each event once, in the order of sending, also over crashes and pauses", async () => {
      const chat = worker("chat", async (count: number, ctx) => {
        const words: number[] = [];
        while (words.length < count)
          words.push((await ctx.waitForEvent(orderPaid, { match: { orderId: "o1" } })).data.cents);
        return words;
      });
      const table = await bench({ workers: [chat] }, url);
      const { snapshot } = await table.engine.start("chat", 6);
      const send = (cents: number) => table.engine.send(orderPaid, { orderId: "o1", cents });
      await table.engine.idle();
      await send(1);
      await table.engine.idle();
      await table.crash();
      for (const cents of [2, 3]) await send(cents);
      await table.engine.idle();
      await table.engine.pause(snapshot.graph_id);
      for (const cents of [4, 5]) await send(cents);
      await table.engine.idle();
      await table.engine.resume(snapshot.graph_id);
      await table.engine.idle();
      await table.crash();
      await send(6);
      await table.engine.idle();
      assert.deepEqual(await resultOf(table.engine, snapshot.graph_id), [1, 2, 3, 4, 5, 6]);
      await table.store.close();
    });

    it("does not receive an event again that an earlier wait of its node has found in the store", async () => {
      const twice = worker("twice", async (_: Json, ctx) => [
        (await ctx.waitForEvent(orderPaid)).data.cents,
        (await ctx.waitForEvent(orderPaid, { match: { orderId: "o1" } })).data.cents,
      ]);
      const { engine, store } = await bench({ workers: [twice] }, url);
      const { snapshot } = await engine.start("twice", null);
      await engine.send(orderPaid, { orderId: "o1", cents: 1 }, { id: "evt_1" });
      await engine.idle();
      // The event reaches the second wait, because it is routed again.
      const payload = { id: "evt_1", name: "order.paid", data: { orderId: "o1", cents: 1 }, sentMs: 0 };
      await engine.signal(snapshot.graph_id, "event:twice#order.paid~2", payload);
      await engine.send(orderPaid, { orderId: "o1", cents: 2 });
      await engine.idle();
      assert.deepEqual(await resultOf(engine, snapshot.graph_id), [1, 2]);
      await store.close();
    });

    it("times out with an error that names the event, and is shown with its event", async () => {
      const { engine, store, pass } = await bench({ workers: [pay] }, url);
      const { snapshot } = await engine.start("pay", { orderId: "o1" });
      await engine.idle();
      const node = await engine.node(snapshot.graph_id, "pay#order.paid");
      assert.deepEqual(
        [node?.kind, node?.status, node?.input],
        ["event", "waiting", { event: "order.paid", match: { orderId: "o1" } }],
      );
      await pass(86_400_000);
      const failed = await engine.snapshot(snapshot.graph_id);
      assert.equal(failed?.error?.message, 'No event "order.paid" arrived within 1d');
      assert.deepEqual(await store.graphs.awaiting("order.paid", 10), []);
      await store.close();
    });

    it("is in the log of the run with the event's name and id, and not in the audit trail", async () => {
      const { engine, store } = await bench({ workers: [pay] }, url);
      const { snapshot } = await engine.start("pay", { orderId: "o1" });
      await engine.idle();
      await engine.send(orderPaid, { orderId: "o1", cents: 5 }, { id: "evt_1" });
      await engine.idle();
      const events = await store.graphs.events(snapshot.graph_id, 0);
      assert.deepEqual(events.find(({ type }) => type === "graph.signal")?.data, {
        name: "order.paid",
        event_id: "evt_1",
      });
      assert.deepEqual((await store.audit.list({})).items, []);
      await store.close();
    });
  });

describe("A graph with events", () => {
  it("is refused with a clear error if `on` or `cancelOn` is not an event", () => {
    const build = (options: object) =>
      graph(
        "g",
        (g) =>
          void g.node(
            "a",
            worker("a", () => 1),
          ),
        options,
      );
    assert.throws(() => build({ on: "x" }), /The graph "g" has on "x"; use an event/);
    assert.throws(() => build({ cancelOn: {} }), /has cancelOn of another kind; use a list/);
    assert.throws(() => build({ cancelOn: [{ event: orderPaid, match: 1 }] }), /has cancelOn.match 1; use a function/);
    assert.throws(() => event("a b"), /"a b" is not a valid name for an event/);
  });

  it("is refused if two events of one name have different schemas", async () => {
    const [first, second] = [event("x", textLength), event("x", { ...textLength })];
    await assert.rejects(bench({ events: [first, second] }, "sqlite:"), { code: "SVC_DEFINITION" });
  });
});

/** A store whose reads of idempotency keys fail, as every start by an event makes one. */
function failingStarts(store: Store, isFailing: () => boolean): Store {
  const graphs = new Proxy(store.graphs, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== "byIdempotencyKey") return value;
      return (...given: [string, string]) =>
        isFailing() ? Promise.reject(new Error("connection lost")) : target.byIdempotencyKey(...given);
    },
  });
  return { ...store, graphs };
}

/** A store whose first sent event is written, but the answer is lost. */
function unsureAdds(store: Store): Store {
  let isLost = false;
  const add: Store["sentEvents"]["add"] = async (row) => {
    const created = await store.sentEvents.add(row);
    if (isLost) return created;
    isLost = true;
    throw new Error("connection lost");
  };
  const sentEvents = new Proxy(store.sentEvents, {
    get: (target, name) => {
      const value: unknown = name === "add" ? add : Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...store, sentEvents };
}
