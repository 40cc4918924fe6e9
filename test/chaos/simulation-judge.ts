/** Checks the end of a simulation: every run has the outcome that its plan predicts, and the store keeps the promises of contract section 4. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Json } from "svckit/graph";
import { checkJournal } from "./graph-journal.ts";
import { fateOf, outcomesOf, type GraphPlan, type NodePlan, type Plan } from "./simulation-plan.ts";
import { sawOf } from "./simulation-workers.ts";
import type { Store } from "./simulation-world.ts";

type StoredNode = Awaited<ReturnType<Store["graphs"]["load"]>>[number]["nodes"][number];

/** A run that was requested. */
export interface Asked {
  readonly plan: GraphPlan;
  id: string | undefined;
  /** Whether a cancel was requested, successfully or not. */
  mayBeCancelled: boolean;
}

export interface Evidence {
  plan: Plan;
  store: Store;
  runs: readonly Asked[];
  /** Unexpected errors during the simulation. */
  wrong: readonly string[];
}

const ENDED: readonly string[] = ["done", "failed", "cancelled"];

export class Judge {
  readonly #plan: Plan;
  readonly #store: Store;
  readonly #runs: readonly Asked[];
  readonly #wrong: readonly string[];

  constructor({ plan, store, runs, wrong }: Evidence) {
    this.#plan = plan;
    this.#store = store;
    this.#runs = runs;
    this.#wrong = wrong;
  }

  /** @throws AssertionError */
  async all(): Promise<void> {
    assert.deepEqual(this.#wrong, [], "unexpected errors");
    const all = (await this.#store.graphs.list({ limit: 200 })).items;
    const roots = all.filter((row) => row.parentGraph === undefined);
    assert.deepEqual(
      new Set(roots.map(({ id }) => id)),
      new Set(this.#runs.map(({ id }) => id)),
      "graphs that were started",
    );
    for (const { id, status, parentGraph } of all) {
      assert.ok(
        ENDED.includes(status),
        `${id} did not end: its status is ${status}, its parent ${parentGraph ?? "none"}`,
      );
      await this.#events(id, status);
      await this.#undone(id);
      await this.#artifacts(id);
    }
    for (const each of this.#runs) await this.#graph(each);
  }

  async #graph({ id = "", plan, mayBeCancelled }: Asked): Promise<void> {
    const [stored] = await this.#store.graphs.load([id]);
    assert.ok(stored);
    const { row, nodes } = stored;
    const fate = fateOf(plan, this.#plan.child);
    if (row.error?.reason === "cancelled") assert.ok(mayBeCancelled, "it failed as cancelled, but nobody cancelled it");
    else assert.equal(row.status, fate.graph, `${id} ended with ${JSON.stringify(row.error)}`);
    if (row.phase === "failed") {
      const left = nodes.filter((node) => ["running", "waiting", "cancelling", "compensating"].includes(node.status));
      assert.deepEqual(
        left.map(({ id: node, status }) => `${node} ${status}`),
        [],
        "no node of a failed run is still active",
      );
      const notUndone = nodes.filter(
        (node) => node.status === "done" && planOfNode(plan, node.id)?.compensates && !node.id.includes("#"),
      );
      assert.deepEqual(
        notUndone.map((node) => node.id),
        [],
        "all compensatable nodes are compensated",
      );
      return;
    }
    for (const node of plan.nodes) this.#node(plan, node, nodes, fate.nodes.get(node.name), row.epoch);
  }

  #node(plan: GraphPlan, node: NodePlan, rows: readonly StoredNode[], fate: string | undefined, epoch: number): void {
    const own = rows.find(({ id }) => id === node.name) ?? undefined;
    const items = rows.filter(({ id }) => id.startsWith(`${node.name}/`) && !id.includes("#"));
    if (node.kind !== "map") assert.equal(own?.status, fate, `${node.name} of ${plan.name}`);
    if (fate !== "done" || node.kind === "child") return;
    if (node.kind === "map") assert.equal(items.length, node.items, `items of ${node.name}`);
    // After a compensation a node has a new result, which differs from the one that later nodes have read.
    const isFirst = epoch === 1;
    const deps = Object.fromEntries(
      node.after.map((at) => plan.nodes[at] as NodePlan).map(({ name }) => [name, resultOf(plan, name, rows)]),
    );
    for (const { id, result } of node.kind === "map" ? items : own ? [own] : []) {
      const { outcomes, saw } = result as { outcomes: Json; saw: Json };
      assert.deepEqual(outcomes, outcomesOf(node.ops), `the outcomes of ${id}`);
      if (isFirst)
        assert.deepEqual(
          saw,
          node.kind === "map" ? sawOf(Object.values(deps)[0] ?? null) : sawOf(deps),
          `the inputs of ${id}`,
        );
    }
  }

  /** A compensation has more tries than its plan lets fail, so it can only fail by a timeout. */
  async #undone(graphId: string): Promise<void> {
    const [stored] = await this.#store.graphs.load([graphId]);
    for (const { id, status, error } of stored?.nodes ?? [])
      if (status === "uncompensated")
        assert.match(error?.message ?? "", /^Not compensated within/, `${id} of ${graphId}`);
  }

  /** Each artifact is complete, whatever happened to its node afterwards. */
  async #artifacts(graphId: string): Promise<void> {
    const { graphs } = this.#store;
    for (const { name, upload, sha256, bytes } of await graphs.artifacts(graphId)) {
      const part = (await graphs.part(graphId, upload ?? name, 0)) ?? new Uint8Array();
      const found = [part.byteLength, createHash("sha256").update(part).digest("hex")];
      assert.deepEqual(found, [bytes, sha256], `the file ${name} of ${graphId}`);
    }
  }

  async #events(id: string, status: string): Promise<void> {
    const events = await this.#store.graphs.events(id, 0, 10_000);
    checkJournal(id, events);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    const announced = (await this.#store.webhooks.listDeliveries({ graphId: id, limit: 200 })).items;
    for (const type of ["graph.done", "graph.failed", "graph.paused"])
      assert.equal(announced.filter(({ event }) => event === type).length, count(type), `webhooks of ${type}`);
    const end = status === "done" ? "graph.done" : "graph.failed";
    assert.equal(events.at(-1)?.type, end, "the last event is its end");
  }
}

function resultOf(plan: GraphPlan, name: string, rows: readonly StoredNode[]): Json {
  const node = planOfNode(plan, name);
  if (node?.kind !== "map") return rows.find(({ id }) => id === name)?.result ?? null;
  const items = rows.filter(({ id }) => id.startsWith(`${name}/`) && !id.includes("#"));
  if (items.length === 0 && rows.find(({ id }) => id === name)?.status === "skipped") return null;
  return items
    .sort((a, b) => Number(a.id.split("/")[1]) - Number(b.id.split("/")[1]))
    .map(({ result }) => result ?? null);
}

function planOfNode(plan: GraphPlan, id: string): NodePlan | undefined {
  return plan.nodes.find(({ name }) => name === id.split(/[/#]/)[0]);
}
