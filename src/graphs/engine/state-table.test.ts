/** Each row of the state table in machine.ts has its own test. All other transitions are rejected. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Failure, GraphPhase, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { graphRow } from "../../storage/contract/sample-rows.testkit.ts";
import { graph, worker } from "../definition/definition.ts";
import { limitOf } from "../definition/flow-control.ts";
import { Machine } from "../machine/machine.ts";
import { firstNodes } from "../machine/node-rows.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { OutboxRows } from "../machine/report-types.ts";

const NOW = 5000;
const FAILURE: Failure = { message: "no luck", reason: "error" };

const work = worker("work", () => null);
const undoable = worker("undoable", { compensate: () => undefined }, () => null);

const chain = graph(
  "chain",
  (g) => {
    const a = g.node("a", work);
    g.node("b", work, { after: [a] });
  },
  { timeout: 1000 },
);
/** A later `chain` with the same name. */
const longer = graph("chain", (g) => {
  const a = g.node("a", work);
  const b = g.node("b", work, { after: [a] });
  g.node("c", work, { after: [b] });
});
const lenient = graph("lenient", (g) => {
  const a = g.node("a", work, { onError: "continue" });
  const b = g.node("b", work);
  g.node("c", work, { after: [a, b] });
});
const keyed = graph("keyed", (g) => g.node("a", work), { concurrency: 1 });
const choosy = graph("choosy", (g) => {
  const a = g.node("a", work);
  g.node("b", work, { after: [a], when: () => false });
});
const undone = graph("undone", (g) => {
  const a = g.node("a", undoable);
  g.node("b", work, { after: [a] });
});
const draining = graph(
  "draining",
  (g) => {
    g.node("a", work);
    g.node("b", work);
  },
  { onError: "drain" },
);

/** A run, with the events and webhooks of its transitions. */
class Table {
  machine: Machine;
  events: string[] = [];
  webhooks: string[] = [];

  constructor(definition: GraphDefinition, dueMs = NOW) {
    const key = limitOf(definition) && { concurrencyKey: "" };
    const about = { worker: definition.name, definition: definition.hash, dueMs, createdMs: NOW };
    const row = graphRow("g_1", { ...about, ...key });
    const nodes = firstNodes(row, definition);
    this.machine = new Machine(row, nodes, 1, definition, ({ event }) => (this.webhooks.push(event), []));
  }

  get phase(): GraphPhase {
    return this.machine.row.phase;
  }

  node(id: string): NodeRow {
    const node = this.machine.node(id);
    assert.ok(node, `there is no node ${id}`);
    return node;
  }

  /** Applies a transition as if it was written, and starts the nodes that became ready. */
  take(transition: Transition | undefined, isRun = true): this {
    this.events.push(
      ...(transition?.events ?? []).map(({ type, node }) => (node === undefined ? type : `${type} ${node}`)),
    );
    if (isRun) for (const node of this.machine.takeReady()) this.take(this.machine.nodeStarted(node, NOW), false);
    return this;
  }

  begun(): this {
    return this.take(this.machine.begin(NOW));
  }
  admitted(): this {
    this.machine.admitted(NOW);
    return this;
  }
  done(id: string): this {
    return this.take(this.machine.nodeDone(this.node(id), null, NOW));
  }
  failed(id: string, retryAtMs?: number): this {
    return this.take(this.machine.nodeFailed(this.node(id), FAILURE, retryAtMs, NOW));
  }
  paused(): this {
    return this.take(this.machine.pause(NOW));
  }
  resumed(): this {
    return this.take(this.machine.resume(NOW));
  }
  /** Recovered by a build with a node more, and then by one with its own nodes. */
  parked(): this {
    return this.take(this.#recoveredBy(longer).recover(NOW, false));
  }
  unparked(definition: unknown): this {
    return this.take(this.#recoveredBy(definition).recover(NOW, false));
  }
  #recoveredBy(definition: unknown): Machine {
    const { row, lastSeq } = this.machine;
    const outboxRows: OutboxRows = ({ event }) => (this.webhooks.push(event), []);
    this.machine = new Machine(row, this.machine.nodes(), lastSeq, definition as GraphDefinition, outboxRows);
    return this.machine;
  }
  cancelled(): this {
    return this.take(this.machine.cancel(NOW));
  }
  /** Forgets earlier events and webhooks. */
  fresh(): this {
    this.events = [];
    this.webhooks = [];
    return this;
  }
}

const of = (definition: unknown, dueMs?: number): Table => new Table(definition as GraphDefinition, dueMs);

interface Row {
  /** The first two columns of the row, as in machine.ts. */
  row: string;
  /** The calls up to the transition, `fresh()`, and the transition. */
  story: (table: Table) => Table;
  definition?: unknown;
  dueMs?: number;
  phase: GraphPhase;
  /** The required events, in this order. */
  events: string[];
  webhooks?: string[];
}

const ROWS: Row[] = [
  {
    row: "queued (pending) | begin, when due",
    story: (t) => t.fresh().begun(),
    phase: "running",
    events: ["graph.started", "node.ready a"],
  },
  {
    row: "queued (pending) | begin, needs a key",
    definition: keyed,
    story: (t) => t.fresh().begun(),
    phase: "queued",
    events: ["graph.queued"],
  },
  {
    row: "queued (queued) | begin, once admitted",
    definition: keyed,
    story: (t) => t.begun().begun().admitted().fresh().begun(),
    phase: "running",
    events: ["graph.started", "node.ready a"],
  },
  {
    row: "running | node done, others left",
    story: (t) => t.begun().fresh().done("a"),
    phase: "running",
    events: ["node.done a", "node.ready b"],
  },
  {
    row: "running | node's turn, `when` not",
    definition: choosy,
    story: (t) => t.begun().fresh().done("a"),
    phase: "done",
    events: ["node.skipped b", "graph.done"],
    webhooks: ["graph.done"],
  },
  {
    row: "running, pausing | last node done",
    story: (t) => t.begun().done("a").paused().fresh().done("b"),
    phase: "done",
    events: ["node.done b", "graph.done"],
    webhooks: ["graph.done"],
  },
  {
    row: "running, pausing | node failed, tries left",
    story: (t) => t.begun().fresh().failed("a", 9000),
    phase: "running",
    events: ["node.retrying a"],
  },
  {
    row: "running, pausing | node failed for good",
    story: (t) => t.begun().paused().fresh().failed("a"),
    phase: "failed",
    events: ["node.failed a", "graph.failed"],
    webhooks: ["graph.failed"],
  },
  {
    row: "running, pausing | one that may fail, did",
    definition: lenient,
    story: (t) => t.begun().fresh().failed("a"),
    phase: "running",
    events: ["node.failed a"],
  },
  {
    row: "running | pause, nodes running",
    story: (t) => t.begun().fresh().paused(),
    phase: "pausing",
    events: ["graph.pausing"],
  },
  {
    row: "queued, running | pause, none running",
    story: (t) => t.fresh().paused(),
    phase: "paused",
    events: ["graph.pausing", "graph.paused"],
    webhooks: ["graph.paused"],
  },
  {
    row: "pausing (running) | last running node ends",
    story: (t) => t.begun().paused().fresh().done("a"),
    phase: "paused",
    events: ["node.done a", "graph.paused"],
    webhooks: ["graph.paused"],
  },
  {
    row: "pausing, paused | resume",
    story: (t) => t.begun().paused().done("a").fresh().resumed(),
    phase: "running",
    events: ["graph.resumed", "node.started b"],
  },
  {
    row: "paused, not yet due | resume",
    dueMs: NOW + 1,
    story: (t) => t.paused().fresh().resumed(),
    phase: "queued",
    events: ["graph.resumed"],
  },
  {
    row: "queued, running | recovered, nodes differ",
    story: (t) => t.begun().done("a").fresh().parked(),
    phase: "parked",
    events: ["graph.paused"],
    webhooks: ["graph.paused"],
  },
  {
    row: "parked | recovered, nodes fit",
    story: (t) => t.begun().done("a").parked().fresh().unparked(chain),
    phase: "running",
    events: ["graph.resumed"],
  },
  {
    row: "any but done/failed | cancel",
    story: (t) => t.begun().paused().fresh().cancelled(),
    phase: "failed",
    events: ["graph.failed"],
    webhooks: ["graph.failed"],
  },
  {
    row: "any but done/failed | terminate",
    definition: undone,
    story: (t) => {
      t.begun().done("a").failed("b").fresh();
      return t.take(t.machine.terminate(NOW));
    },
    phase: "failed",
    events: ["node.uncompensated a", "graph.failed"],
    webhooks: ["graph.failed"],
  },
  {
    row: "running, pausing | its time is over",
    story: (t) => {
      t.begun().fresh();
      return t.take(t.machine.ending.overdue(NOW + 1000));
    },
    phase: "failed",
    events: ["graph.failed"],
    webhooks: ["graph.failed"],
  },
  {
    row: "instead of failed | nodes left to be undone",
    definition: undone,
    story: (t) => t.begun().done("a").fresh().failed("b"),
    phase: "cancelling",
    events: ["node.failed b", "node.compensating a", "graph.cancelling"],
  },
  {
    row: "running, pausing | failed, others drain",
    definition: draining,
    story: (t) => t.begun().fresh().failed("a"),
    phase: "cancelling",
    events: ["node.failed a", "graph.cancelling"],
  },
  {
    row: "cancelling | last undone, or too late",
    definition: undone,
    story: (t) => {
      t.begun().done("a").failed("b").fresh();
      return t.take(t.machine.ending.undone(t.node("a"), NOW));
    },
    phase: "failed",
    events: ["graph.failed"],
    webhooks: ["graph.failed"],
  },
  {
    row: "failed | retry",
    story: (t) => {
      t.begun().failed("a").fresh();
      return t.take(t.machine.retry(NOW));
    },
    phase: "running",
    events: ["graph.started", "node.ready a"],
  },
  {
    row: "done, failed | retry from a node",
    story: (t) => {
      t.begun().done("a").done("b").fresh();
      return t.take(t.machine.retry(NOW, undefined, "b"));
    },
    phase: "running",
    events: ["graph.started", "node.ready b"],
  },
];

/** A run in each phase. */
const INTO: Record<GraphPhase, () => Table> = {
  queued: () => of(chain),
  running: () => of(chain).begun(),
  pausing: () => of(chain).begun().paused(),
  paused: () => of(chain).paused(),
  parked: () => of(chain).begun().parked(),
  cancelling: () => of(undone).begun().done("a").failed("b"),
  done: () => of(chain).begun().done("a").done("b"),
  failed: () => of(chain).begun().failed("a"),
};

const ALLOWED: Record<"pause" | "resume" | "cancel" | "terminate" | "retry", GraphPhase[]> = {
  pause: ["queued", "running"],
  resume: ["pausing", "paused"],
  cancel: ["queued", "running", "pausing", "paused", "parked"],
  terminate: ["queued", "running", "pausing", "paused", "parked", "cancelling"],
  retry: ["failed"],
};

describe("the state table", () => {
  for (const { row, definition = chain, dueMs, story, phase, events, webhooks = [] } of ROWS)
    it(row, () => {
      const table = story(of(definition, dueMs));
      assert.equal(table.phase, phase);
      assert.deepEqual(
        table.events.filter((event) => events.includes(event)),
        events,
      );
      assert.deepEqual(table.webhooks, webhooks);
    });

  it("has a test for each of its rows", () => {
    const source = readFileSync(new URL("../../../src/graphs/machine/machine.ts", import.meta.url), "utf8");
    const lines = [...source.matchAll(/^ \* \| (?!phase|-)(.+?) +\| (.+?) +\|/gm)].filter(
      ([line]) => !/-{3}/.test(line),
    );
    assert.deepEqual(
      lines.map(([, from, what]) => `${from} | ${what}`),
      ROWS.map(({ row }) => row),
    );
  });

  it("rejects every other transition without changes", () => {
    for (const [control, allowed] of Object.entries(ALLOWED) as [keyof typeof ALLOWED, GraphPhase[]][])
      for (const [phase, into] of Object.entries(INTO)) {
        if (allowed.includes(phase as GraphPhase)) continue;
        const { machine } = into();
        const before = JSON.stringify([machine.row, machine.nodes(), machine.lastSeq]);
        assert.equal(machine.row.phase, phase);
        // The status and phase that callers see.
        const reported = ` is ${phase === "queued" ? "pending" : phase}${phase === "parked" ? " (" : ";"}`;
        assert.throws(
          () => machine[control](NOW),
          (error) => error instanceof SvcError && error.code === "SVC_TRANSITION" && error.message.includes(reported),
          `${control} of a graph that is ${phase}`,
        );
        assert.equal(JSON.stringify([machine.row, machine.nodes(), machine.lastSeq]), before);
      }
  });
});
