/** Queries of the delivery loop in SQLite use an index, for any number of pending deliveries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Row, Value } from "../../contract/row.ts";
import { attemptRow } from "../../contract/sample-rows.testkit.ts";
import { Database } from "../database.ts";
import { Outbox } from "./outbox.ts";
import { SqliteWebhooks } from "./webhooks.ts";

/** The query plan of every statement that `use` runs. */
async function plansOf(use: (webhooks: SqliteWebhooks) => unknown): Promise<string[]> {
  const database = await Database.open(":memory:");
  const plans: string[] = [];
  const explaining = new Proxy(database, {
    get: (target, key) => {
      if (key === "write") return async (work: () => unknown) => work();
      if (key !== "sql") return Reflect.get(target, key) as unknown;
      return (text: string) => {
        const explain = (...values: Value[]): Row[] => {
          const steps = target.sql(`EXPLAIN QUERY PLAN ${text}`).all(...values);
          plans.push(...steps.map((step) => String(step["detail"])));
          return [];
        };
        return { all: explain, get: (...values: Value[]) => void explain(...values), run: explain };
      };
    },
  });
  await use(new SqliteWebhooks(explaining, new Outbox(explaining)));
  database.close();
  return plans;
}

describe("deliveries in SQLite", () => {
  const deliveryQueue = { registrationId: "wh_1", isRetry: false };
  const row = {
    graphId: "g_1",
    event: "graph.done" as const,
    epoch: 1,
    pauseNo: 0,
    body: "{}",
    createdMs: 1,
    dueMs: 1,
  };
  const cases: [string, (webhooks: SqliteWebhooks) => unknown][] = [
    ["due deliveries", (webhooks) => webhooks.due(deliveryQueue, 1000, 64)],
    ["the next due times", (webhooks) => webhooks.nextDueMs(deliveryQueue, 1000)],
    [
      "the earlier deliveries of a run",
      (webhooks) => webhooks.earlierDueMs({ id: "msg_1", registrationId: "wh_1", ...row }),
    ],
    ["deliveries that wait for a run", (webhooks) => webhooks.release("wh_1", "g_1", 1)],
    ["a delivery and its attempts", (webhooks) => [webhooks.delivery("msg_1"), webhooks.attempts("msg_1")]],
  ];
  for (const [what, use] of cases) {
    it(`${what} are found by an index, without sorting`, async () => {
      const plans = await plansOf(use);
      assert.ok(plans.length > 0);
      for (const step of plans) assert.match(step, /^SEARCH .* USING .*(?:INDEX|PRIMARY KEY)/, step);
    });
  }

  it("that are added together are all stored, and reported after the commit", async () => {
    const database = await Database.open(":memory:");
    const webhooks = new SqliteWebhooks(database, new Outbox(database));
    const reported: string[] = [];
    webhooks.onOutbox((ids) => void reported.push(...ids));
    const add = (id: string, registrationId: string) =>
      webhooks.addDelivery({ ...row, id, registrationId, graphId: id, body: '{"ž":"\\u0000"}' });
    await Promise.all([add("msg_1", "wh_1"), add("msg_2", "wh_1"), add("msg_3", "wh_2")]);
    assert.deepEqual(reported, ["wh_1", "wh_2"]);
    await Promise.all([add("msg_3", "wh_2"), add("msg_4", "wh_2")]);
    const due = await webhooks.due({ registrationId: "wh_2", isRetry: false }, 1000, 64);
    assert.deepEqual(
      due.map(({ id, body, status, attempts, deliveredMs }) => [id, body, status, attempts, deliveredMs]),
      ["msg_3", "msg_4"].map((id) => [id, '{"ž":"\\u0000"}', "pending", 0, undefined]),
    );
    await database.close();
    await assert.rejects(add("msg_5", "wh_2"), /closed/);
    await assert.rejects(add("msg_6", "wh_2"), /closed/);
  });

  it("are passed on in the order of their addition, except repeated events", async () => {
    const database = await Database.open(":memory:");
    const webhooks = new SqliteWebhooks(database, new Outbox(database));
    const handed: string[][] = [];
    webhooks.onOutbox((_, added) => void handed.push(added.map(({ id }) => id)));
    const add = (id: string, graphId: string) => webhooks.addDelivery({ ...row, id, registrationId: "wh_1", graphId });
    await Promise.all([add("msg_1", "g_1"), add("msg_2", "g_2")]);
    await Promise.all([add("msg_3", "g_1"), add("msg_4", "g_4")]);
    await webhooks.requeue("msg_1", 5);
    assert.deepEqual(handed, [["msg_1", "msg_2"], [], []]);
    assert.deepEqual((await webhooks.due(deliveryQueue, 1000, 64)).map(({ id }) => id).toSorted(), [
      "msg_1",
      "msg_2",
      "msg_4",
    ]);
    await database.close();
  });

  const few: [string, string, (webhooks: SqliteWebhooks) => unknown][] = [
    ["failed deliveries of all registrations", "delivery_failed", (all) => all.listDeliveries({ status: "failed" })],
    [
      "failed deliveries of one registration",
      "delivery_failed",
      (all) => all.failedOf({ registrationId: "wh_1", sinceMs: 5, limit: 9 }),
    ],
    ["pings", "delivery_ping", (all) => all.listDeliveries({ event: "ping" })],
    ["deliveries of a registration", "delivery_registration", (all) => all.listDeliveries({ registrationId: "wh_1" })],
    ["old pings", "delivery_ping", (all) => all.forgetPings(1)],
  ];
  for (const [what, index, use] of few) {
    it(`${what} are read in the order of a small index`, async () => {
      const plans = await plansOf(use);
      const onTable = plans.filter((step) => / delivery(?: |$)/.test(step));
      assert.ok(onTable.some((step) => step.includes(index)));
      for (const step of onTable) assert.match(step, new RegExp(`${index}|USING PRIMARY KEY \\(id=\\?\\)`), step);
      assert.ok(!plans.some((step) => step.includes("TEMP B-TREE")), plans.join("\n"));
    });
  }

  for (const query of [
    {},
    { registrationId: "wh_1" },
    { status: "failed" as const },
    { event: "ping" },
    { sinceMs: 5 },
  ]) {
    it(`of a run are found by its id, with the filter ${Object.keys(query)[0] ?? "nothing"}`, async () => {
      const plans = await plansOf((webhooks) => webhooks.listDeliveries({ ...query, graphId: "g_1" }));
      const onTable = plans.filter((step) => step.includes(" delivery "));
      assert.ok(onTable.length >= 2);
      for (const step of onTable) assert.match(step, /^SEARCH delivery USING .*INDEX .*\(graph_id=\?/, step);
    });
  }

  it("of a registration are counted by index, and pending ones by an index of pending deliveries", async () => {
    const plans = await plansOf((webhooks) => webhooks.tallies(["wh_1"], 5));
    const onTable = plans.filter((step) => step.includes("delivery"));
    assert.equal(onTable.length, 3);
    for (const step of onTable) assert.match(step, /^SEARCH delivery USING .*INDEX/, step);
    assert.match(onTable.at(-1) ?? "", /delivery_lane/);
  });

  it("that are the newest of several registrations are found by index, and their attempts by key", async () => {
    const plans = await plansOf((webhooks) => webhooks.latestOutcomes(["wh_1", "wh_2"], 100));
    const onTable = plans.filter((step) => / (?:delivery|attempt)(?: |$)/.test(step));
    assert.deepEqual(onTable, [
      "SEARCH attempt USING PRIMARY KEY (delivery_id=?)",
      "SEARCH delivery USING COVERING INDEX delivery_registration (registration_id=?)",
    ]);
  });

  it("that are pending are found per registration with skips through the index", async () => {
    const plans = await plansOf((webhooks) => webhooks.pendingRegistrations());
    const onTable = plans.filter((step) => step.includes("delivery"));
    assert.ok(onTable.length >= 2);
    for (const step of onTable) assert.match(step, /^SEARCH delivery USING .*INDEX delivery_lane/, step);
  });

  it("have their attempts recorded by key, many at once", async () => {
    const plans = await plansOf((webhooks) =>
      webhooks.recordAttempts([{ attempt: attemptRow("msg_1"), change: { status: "delivered" } }]),
    );
    assert.deepEqual(
      plans.filter((step) => step.includes(" delivery")),
      ["SEARCH delivery USING PRIMARY KEY (id=?)"],
    );
  });
});
