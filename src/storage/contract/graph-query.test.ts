/** Pages of runs for any filter: SQLite and PostgreSQL return the same as a scan of all rows, and SQLite uses an index. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { RUN_STATUSES, type RunStatus } from "../../platform/shared/wire.ts";
import type { Store } from "./contract.ts";
import type { AttributeFilter, Attributes } from "./attributes.ts";
import type { FailureReason, GraphRow, Origin } from "./graph-rows.ts";
import type { GraphQuery } from "./queries.ts";
import { GraphListModel } from "./graph-list-model.testkit.ts";
import { MAX_COMPARED } from "./graph-query.ts";
import { openStore } from "../open-store.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { loadDriver, type Statement } from "../sqlite/file/driver.ts";

const BEGIN_MS = Date.UTC(2026, 0, 1);
const WORKERS = ["fetch", "resize", "mail"];
const TAGS = ["red", "green", "blue"];
const PARENTS = ["g_parent1", "g_parent2"];
const MESSAGES = ["Socket closed", "no route to HOST", 'said "no"'];

const SUMMARIES = ["Invoice 17 for ACME", "invoice 18, 50 %", "Ünïcode"];
const ORIGINS: readonly Origin[] = [{ kind: "api" }, { kind: "schedule", name: "nightly" }, { kind: "graph" }];

const ERRORS: Partial<Record<RunStatus, FailureReason>> = { failed: "error", cancelled: "cancelled" };

function attributesOf(at: number): Attributes | undefined {
  if (at % 5 === 0) return undefined;
  return {
    plan: at % 3 === 0 ? "pro" : "free",
    cents: ((at * 37) % 50) - 10,
    ...(at % 4 === 0 && { "trial.ended": at % 8 === 0 }),
  };
}

/** Two ids per millisecond, so that a cursor falls between ids of one time. */
function idOf(at: number): string {
  return `${lowestGraphId(BEGIN_MS + Math.trunc(at / 2))}${String(at).padStart(16, "0")}`;
}

function rowOf(at: number): GraphRow {
  const pick = <T>(list: readonly T[], step: number): T => list[Math.trunc(at / step) % list.length] as T;
  const status = pick(RUN_STATUSES, 1);
  const parentGraph = at % 7 === 0 ? pick(PARENTS, 7) : undefined;
  return {
    id: idOf(at),
    worker: pick(WORKERS, 2),
    status,
    phase: status === "pending" ? "queued" : status === "cancelled" ? "failed" : status,
    epoch: 1,
    pauseNo: 0,
    input: at,
    result: undefined,
    error: ERRORS[status] && { message: pick(MESSAGES, 5), reason: ERRORS[status] },
    progress: undefined,
    tags: TAGS.filter((_, place) => (at >> place) % 3 === 0),
    idempotencyKey: undefined,
    definition: "d",
    createdMs: BEGIN_MS + Math.trunc(at / 2),
    dueMs: BEGIN_MS,
    startedMs: status === "pending" ? undefined : BEGIN_MS + at,
    finishedMs: status === "done" || ERRORS[status] ? BEGIN_MS + COUNT + ((at * 37) % 100) : undefined,
    priority: 0,
    parentGraph,
    parentNode: parentGraph && "n",
    forkedFrom: undefined,
    version: undefined,
    timeoutMs: undefined,
    deadlineMs: undefined,
    summary: at % 3 === 0 ? undefined : pick(SUMMARIES, 3),
    origin: at % 11 === 0 ? undefined : pick(ORIGINS, 2),
    concurrencyKey: undefined,
    queuePosition: undefined,
    admittedMs: undefined,
    expiresMs: undefined,
    fairnessKey: undefined,
    fairnessCost: undefined,
    attributes: attributesOf(at),
  };
}

const COUNT = 300;
const NOW_MS = BEGIN_MS + COUNT + 50;
const timeMs = fc.integer({ min: BEGIN_MS - 2, max: BEGIN_MS + COUNT / 2 + 2 });
const endMs = fc.integer({ min: BEGIN_MS + COUNT - 2, max: BEGIN_MS + COUNT + 102 });
const cents = fc.constantFrom(-11, -0.5, 0, 1, 7, 20, 39, 1e9);
const attributes: fc.Arbitrary<AttributeFilter> = fc.record(
  {
    plan: fc.constantFrom("pro", "free", "unknown", 1, true),
    cents: fc.oneof(cents, fc.record({ gt: cents, gte: cents, lt: cents, lte: cents }, { requiredKeys: [] })),
    "trial.ended": fc.boolean(),
    unknown: fc.constant(1),
  },
  { requiredKeys: [] },
);
const query: fc.Arbitrary<GraphQuery> = fc.record(
  {
    attributes: fc.option(attributes, { nil: {}, freq: 2 }),
    worker: fc.constantFrom(...WORKERS, "unknown"),
    status: fc.constantFrom(...RUN_STATUSES),
    tag: fc.constantFrom(...TAGS, "unknown"),
    sinceMs: timeMs,
    untilMs: timeMs,
    idPrefix: fc.tuple(fc.nat(COUNT), fc.integer({ min: 2, max: 28 })).map(([at, length]) => idOf(at).slice(0, length)),
    error: fc.constantFrom("SOCKET", "host", 'd "n', "%", ""),
    summary: fc.constantFrom("INVOICE", "acme", "50 %", "%", "ünï", ""),
    origin: fc.constantFrom("api", "schedule", "graph", "fork"),
    parent: fc.constantFrom(...PARENTS, "g_unknown"),
    longerMs: fc.nat(400),
    shorterMs: fc.nat(400),
    finishedSinceMs: endMs,
    finishedUntilMs: endMs,
    nowMs: fc.constant(NOW_MS),
    limit: fc.constantFrom(1, 3, 50, 200),
    cursor: fc.nat(COUNT).map(idOf),
  },
  { requiredKeys: ["nowMs"] },
);

/** The texts of all statements that SQLite prepares. */
async function preparedBy(run: () => Promise<void>): Promise<Set<string>> {
  const { prototype } = await loadDriver();
  const prepare: (text: string) => Statement = prototype.prepare;
  const texts = new Set<string>();
  prototype.prepare = function (text: string): Statement {
    texts.add(text);
    return prepare.call(this, text);
  };
  await run().finally(() => (prototype.prepare = prepare));
  return texts;
}

const ROWS = Array.from({ length: COUNT }, (_, at) => rowOf(at));
const STATUSES = ["done", "failed", "running"] as const;
/** Changes some runs, and some of these twice in one commit. */
const MOVES = ROWS.filter((_, at) => at % 4 === 0)
  .flatMap(({ id }, at) => (at % 2 ? [id] : [id, id]))
  .map((graphId, at) => ({
    graphId,
    graph: {
      status: STATUSES[at % 3] as "done",
      error: undefined,
      ...(at % 4 === 1 && { attributes: { plan: "pro", cents: at } }),
      ...(at % 4 === 2 && { attributes: undefined }),
    },
  }));

async function fill({ graphs }: Store): Promise<void> {
  await Promise.all(ROWS.map((row) => graphs.commit({ graphId: row.id, insert: row })));
  await Promise.all(MOVES.map((move) => graphs.commit(move)));
}

function filledModel(): GraphListModel {
  const rows = new Map(ROWS.map((row) => [row.id, { ...row }]));
  for (const { graphId, graph } of MOVES) Object.assign(rows.get(graphId) as GraphRow, graph);
  return new GraphListModel([...rows.values()]);
}

/** Runs each of the other queries once. */
async function askAll({ graphs, webhooks, sessions, answers, schedules, audit }: Store): Promise<void> {
  const graphId = idOf(1);
  await graphs.byIdempotencyKey("fetch", "k");
  await graphs.load([graphId]);
  await graphs.events(graphId, 0);
  await graphs.unfinished("", 10);
  await graphs.waiting(10);
  await graphs.pastNodes(graphId);
  await graphs.children([graphId]);
  await graphs.countByStatus();
  await graphs.commit({ graphId, graph: { attributes: { plan: "pro" } } });
  await graphs.commit({ graphId, graph: { status: "running" } });
  await graphs.commit({ graphId, graph: { attributes: undefined } });
  const fence = {
    epoch: 1,
    phases: ["queued" as const],
    node: { id: "a", status: ["done" as const], attempt: 1 },
  };
  await graphs.commit({ graphId, fence });
  await graphs.commit({
    graphId,
    events: [{ graphId, type: "log", timestampMs: 1 }],
    nodes: [{ id: "a", status: "done" }],
    deleteNodes: ["a"],
  });
  await webhooks.due({ registrationId: "wh_1", isRetry: false }, 1, 1);
  await webhooks.nextDueMs({ registrationId: "wh_1", isRetry: false }, 1);
  await webhooks.delivery("msg_1");
  await webhooks.attempts("msg_1");
  await webhooks.lastOutcomes(["msg_1"]);
  await webhooks.requeue("msg_1", 1);
  await sessions.read("s");
  await sessions.purge(1);
  await answers.claim({ id: "a", bodyHash: "h", createdMs: 1, answer: undefined }, 0);
  await answers.settle("a", 200, "");
  await answers.purge(1);
  await schedules.schedule("s");
  await audit.list({ target: graphId });
  await audit.purge(1);
  await graphs.workers();
  for (const worker of [undefined, "fetch"])
    await graphs.purge({ ...(worker && { worker }), finishedBeforeMs: BEGIN_MS + COUNT });
}

/** Statements that scan a whole table, or sort its rows. */
async function scansOf(file: string, statements: Iterable<string>): Promise<string[]> {
  const driver = new (await loadDriver())(file);
  try {
    return [...statements].flatMap((text) => {
      if (!/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text)) return [];
      const plan = driver.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      const steps = plan.map((row) => String(row["detail"]));
      return steps
        .filter((step) => !SMALL.test(step) && /^SCAN|TEMP B-TREE FOR ORDER/.test(step))
        .map((step) => `${step}: ${text}`);
    });
  } finally {
    driver.close();
  }
}

/** Allowed scans: parameters of a statement, tables with a few rows per worker, and the index of active runs. */
const SMALL = /^SCAN (graph USING INDEX graph_unfinished|json_each|given|tag|graph_total|\(subquery|CONSTANT)/;

const hasNone = await withoutPostgres();

describe("pages of runs", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-query-"));
  const file = join(folder, "query.db");
  let sqlite: Store;

  before(async () => {
    sqlite = await openStore(`sqlite:${file}`);
    await fill(sqlite);
  });
  after(async () => {
    await sqlite.close();
    rmSync(folder, { recursive: true });
  });

  const sameAsModel = async (other: Store, numRuns: number): Promise<void> => {
    const model = filledModel();
    await fc.assert(
      fc.asyncProperty(query, async (one) => {
        assert.deepEqual(await other.graphs.list(one), model.list(one));
        assert.deepEqual(await other.graphs.durations(one, NOW_MS), model.durations(one, NOW_MS));
        assert.deepEqual(await other.graphs.tagCounts(one), model.tagCounts(one));
      }),
      { numRuns },
    );
    assert.deepEqual(await other.graphs.countByStatus(), model.countByStatus());
    assert.deepEqual(await other.graphs.workers(), model.workers());
  };

  it("are equal to the model on SQLite", () => sameAsModel(sqlite, 300));

  it("are equal to the model on PostgreSQL", { skip: hasNone }, async () => {
    const opened = openedStore("postgres:");
    try {
      const store = await opened.open();
      await fill(store);
      await askAll(store);
      await sameAsModel(store, 200);
    } finally {
      await opened.close();
    }
  });

  it("are equal to the model if payloads are encrypted", async () => {
    const opened = openedStore("encrypted sqlite::memory:");
    try {
      const store = await opened.open();
      await fill(store);
      await sameAsModel(store, 300);
    } finally {
      await opened.close();
    }
  });

  it("compare a limited number of durations, and return a cursor to continue", async () => {
    const long = join(folder, "long.db");
    await (await openStore(`sqlite:${long}`)).close();
    const driver = new (await loadDriver())(long);
    // Ten rows more than a page compares. The oldest five took longest.
    driver.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_COMPARED + 9})
      INSERT INTO graph (id, worker, status, phase, epoch, pause_no, input, tags, definition, created_ms, due_ms, started_ms, finished_ms)
      SELECT printf('g_%012d', i), 'w', 'done', 'done', 1, 0, '1', '[]', 'd', i, i, i, i + iif(i < 5, 60000, i % 100) FROM n`);
    driver.close();
    const { graphs, close } = await openStore(`sqlite:${long}`);
    const slow = { longerMs: 60_000, nowMs: 0 };
    const first = await graphs.list(slow);
    assert.deepEqual([first.items.length, first.total, first.nextCursor], [0, 0, "g_000000000010"]);
    const next = await graphs.list({ ...slow, cursor: "g_000000000010" });
    assert.deepEqual([next.items.length, next.nextCursor], [5, undefined]);
    const { durationsMs, isAll } = await graphs.durations({ worker: "w" }, 0);
    assert.deepEqual([durationsMs.length, durationsMs[0], isAll], [10_000, 9, false]);
    const tags = { tags: [], looked: 2000, untagged: 2000, isAll: false };
    assert.deepEqual(await graphs.tagCounts({ worker: "w" }), tags);
    const three = await graphs.durations({ worker: "w", limit: 3 }, 0);
    assert.deepEqual(three, { durationsMs: durationsMs.slice(0, 3), isAll: false });
    await close();
  });

  it("use an index, like every other query of SQLite", async () => {
    const statements = await preparedBy(async () => {
      const store = await openStore(`sqlite:${join(folder, "plans.db")}`);
      await fill(store);
      await fc.assert(
        fc.asyncProperty(query, async (one) => {
          const { total } = await store.graphs.list(one);
          await store.graphs.tagCounts(one);
          const { limit: _limit, ...all } = one;
          return total >= 0 && (await store.graphs.durations(all, NOW_MS)).isAll;
        }),
        { numRuns: 100 },
      );
      await askAll(store);
      await store.close();
    });
    assert.ok(statements.size >= 30, `only ${statements.size} statements`);
    assert.deepEqual(await scansOf(file, statements), []);
    assert.equal((await scansOf(file, ["SELECT * FROM graph WHERE definition = 'd'"])).length, 1);
  });
});
