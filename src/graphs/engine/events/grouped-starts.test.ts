import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../../definition/definition.ts";
import { event } from "../../definition/event.ts";
import { bench, STORES, type Bench } from "../engine.testkit.ts";

interface Saved {
  user: string;
  text: string;
}

const saved = event<Saved>("saved");
const keep = worker("keep", ({ user, text }: Saved) => `${user}: ${text}`);
const key = ({ user }: Saved): string => user;

const index = graph("index", (g) => g.node("keep", keep), {
  on: saved,
  debounce: { period: "10s", timeout: "25s", key },
});
const all = worker("all", (items: Saved[]) => items.map(({ text }) => text).join(" "));
const bulk = graph("bulk", (g) => g.node("all", all), { on: saved, batchEvents: { maxSize: 3, timeout: "5s", key } });
const slow = graph("slow", (g) => g.node("keep", keep), { on: saved, throttle: { limit: 1, period: "10s" } });
const rare = graph("rare", (g) => g.node("keep", keep), { on: saved, rateLimit: { limit: 1, period: "10s", key } });

const failing = (): string => assert.fail("no key");

const send = async ({ engine }: Bench, user: string, text: string, id?: string): Promise<void> => {
  await engine.send(saved, { user, text }, id === undefined ? {} : { id });
  await engine.idle();
};

/** Runs of several keys may be stored in any order. */
const sorted = (results: readonly unknown[]): string[] => results.map(String).toSorted((a, b) => a.localeCompare(b));

const resultsOf = async ({ engine }: Bench, name: string) =>
  (await engine.list({ worker: name })).items
    .map(({ status, result }) => (status === "done" ? result : status))
    .reverse();

for (const url of STORES)
  describe(`Starts by events with ${url}`, () => {
    it("are debounced by key: one run with the last event, once none has followed for the period", async () => {
      const table = await bench({ graphs: [index] }, url);
      await send(table, "ada", "1");
      await table.pass(9000);
      await send(table, "ada", "2");
      await send(table, "bob", "a");
      await table.pass(9999);
      assert.deepEqual(await resultsOf(table, "index"), []);
      await table.pass(1);
      assert.deepEqual(sorted(await resultsOf(table, "index")), ["ada: 2", "bob: a"]);
      await table.store.close();
    });

    it("are debounced no longer than the timeout", async () => {
      const table = await bench({ graphs: [index] }, url);
      for (const text of ["1", "2", "3", "4"]) {
        await send(table, "ada", text);
        await table.pass(8000);
      }
      // The fourth event arrived at 24 s, and the run started at 25 s.
      assert.deepEqual(await resultsOf(table, "index"), ["ada: 4"]);
      await table.store.close();
    });

    it("are batched by key: one run with all events, once there are enough or the timeout has passed", async () => {
      const table = await bench({ graphs: [bulk] }, url);
      for (const text of ["1", "2", "3", "4"]) await send(table, "ada", text);
      await send(table, "bob", "a");
      assert.deepEqual(await resultsOf(table, "bulk"), ["1 2 3"]);
      await table.pass(5000);
      assert.deepEqual(sorted(await resultsOf(table, "bulk")), ["1 2 3", "4", "a"]);
      await table.store.close();
    });

    it("are throttled: the first run and the burst start at once, and the others wait in the queue", async () => {
      const table = await bench({ graphs: [slow] }, url);
      for (const text of ["1", "2", "3", "4"]) await send(table, "ada", text);
      assert.deepEqual(await resultsOf(table, "slow"), ["ada: 1", "ada: 2", "pending", "pending"]);
      await table.pass(10_000);
      assert.deepEqual(await resultsOf(table, "slow"), ["ada: 1", "ada: 2", "ada: 3", "pending"]);
      await table.pass(10_000);
      assert.equal((await resultsOf(table, "slow"))[3], "ada: 4");
      await table.store.close();
    });

    it("are limited: further events of the period start nothing", async () => {
      const table = await bench({ graphs: [rare] }, url);
      for (const text of ["1", "2"]) for (const user of ["ada", "bob"]) await send(table, user, text);
      await table.pass(10_000);
      await send(table, "ada", "3");
      assert.deepEqual(await resultsOf(table, "rare"), ["ada: 1", "bob: 1", "ada: 3"]);
      await table.store.close();
    });

    it("lose and double no event over crashes, whether it waits, is due, or is sent again", async () => {
      const table = await bench({ graphs: [bulk, index] }, url);
      await send(table, "ada", "1", "e1");
      // The process died after the event joined its groups, and before it was recorded as handled.
      const row = {
        name: "saved",
        id: "e2",
        position: table.clock.now() * 1000 + 500,
        data: { user: "ada", text: "2" },
      };
      await table.store.sentEvents.add(row);
      await table.crash();
      await table.engine.idle();
      await table.crash();
      await send(table, "ada", "2", "e2");
      assert.deepEqual(await resultsOf(table, "bulk"), []);
      await table.pass(60_000);
      assert.deepEqual(await resultsOf(table, "bulk"), ["1 2"]);
      assert.equal((await resultsOf(table, "index")).length, 1);
      // It died after the group was closed, and before its run was stored, or after that.
      const event = { id: "e3", name: "saved", sentMs: 3, data: { user: "ada", text: "3" } };
      const group = {
        graph: "bulk",
        key: "ada",
        generation: "e3",
        isOpen: false,
        dueMs: 0,
        events: [event],
        isList: true,
        count: 0,
      };
      await table.store.sentEvents.add({ ...row, id: "e3" });
      await table.store.sentEvents.handled("saved", "e3");
      for (const graphName of ["bulk", "other"])
        await table.store.startGroups.join({ name: "saved", id: "e3" }, graphName, "ada", () => [group]);
      for (let times = 0; times < 2; times++) {
        await table.crash();
        await table.engine.idle();
        assert.deepEqual((await resultsOf(table, "bulk")).at(-1), "3");
      }
      assert.deepEqual(await table.store.startGroups.due(Number.MAX_SAFE_INTEGER, 10), []);
      assert.equal((await resultsOf(table, "bulk")).length, 2);
      await table.store.close();
    });

    it("with a key function that throws start nothing, and the log says so", async () => {
      const odd = graph("odd", (g) => g.node("keep", keep), {
        on: saved,
        debounce: { period: "1s", key: failing },
      });
      const table = await bench({ graphs: [odd] }, url);
      await send(table, "ada", "1");
      assert.match(table.logs.join("\n"), /could not start "odd"/);
      assert.deepEqual(await table.store.sentEvents.pending(-1, Number.MAX_SAFE_INTEGER, 10), []);
      await table.store.close();
    });
  });

describe("A graph with a rule for its starts", () => {
  it("is refused with a clear error without an event, with two rules, or with an invalid value", () => {
    const build = (options: object) => graph("g", (g) => void g.node("keep", keep), options);
    const period = "1s";
    assert.throws(() => build({ debounce: { period } }), /has debounce and no event; name one in "on"/);
    const two = { on: saved, debounce: { period }, throttle: { limit: 1, period } };
    assert.throws(() => build(two), /has debounce and throttle; use one of them/);
    assert.throws(() => build({ on: saved, throttle: { period } }), /lacks throttle.limit/);
    assert.throws(() => build({ on: saved, batchEvents: { maxSize: 0, timeout: "1s" } }), /batchEvents.maxSize 0/);
    assert.throws(() => build({ on: saved, debounce: { period: 0 } }), /debounce.period 0; use a time above 0/);
    assert.throws(() => build({ on: saved, debounce: { period, max: 1 } }), /unknown option "max"/);
  });
});
