/**
 * Checks stored runs against the new definitions, and lists the problems. Decides only: recovery.ts parks such runs when the engine loads
 * them.
 */
import { definitionName } from "../machine/step-id.ts";
import { calledIn, definitionFor } from "./registry.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

export type MisfitKind = "unknown graph" | "missing node" | "new node" | "changed worker" | "changed order";

export interface Misfit {
  kind: MisfitKind;
  /** Name of the started graph or worker. */
  worker: string;
  message: string;
  /** Number of affected runs, and some of their ids. */
  count: number;
  graph_ids: string[];
  /** Whether unfinished runs would break. Otherwise only retries of ended runs would. */
  is_live: boolean;
}

/** The part of a stored run that is checked. */
export interface History extends Pick<Snapshot, "graph_id" | "worker" | "version" | "status"> {
  nodes: readonly Pick<Snapshot["nodes"][number], "id" | "worker" | "status">[];
}

const EXAMPLES = 3;

/** @param definitions versions by name. @returns incompatibilities, unfinished runs first. */
export function misfits(
  histories: Iterable<History>,
  definitions: ReadonlyMap<string, readonly GraphDefinition[]>,
): Misfit[] {
  const found = new Misfits(definitions);
  for (const history of histories) found.add(history);
  return found.all();
}

/** Counts the problems of runs that are read one after another. */
export class Misfits {
  readonly #definitions: ReadonlyMap<string, readonly GraphDefinition[]>;
  readonly #found = new Map<string, Misfit>();

  constructor(definitions: ReadonlyMap<string, readonly GraphDefinition[]>) {
    this.#definitions = definitions;
  }

  add(history: History): void {
    const { worker, status, graph_id: graphId } = history;
    const isLive = status !== "done" && status !== "failed";
    for (const [kind, message] of misfitsOf(history, definitionOf(history, this.#definitions))) {
      const key = [isLive, kind, worker, message].join("\n");
      const known = this.#found.get(key) ?? { kind, worker, message, count: 0, graph_ids: [], is_live: isLive };
      known.count++;
      if (known.graph_ids.length < EXAMPLES) known.graph_ids.push(graphId);
      this.#found.set(key, known);
    }
  }

  /** @returns incompatibilities, unfinished runs first. */
  all(): Misfit[] {
    return [...this.#found.values()].sort((a, b) => Number(b.is_live) - Number(a.is_live));
  }
}

function definitionOf({ worker, version }: History, definitions: ReadonlyMap<string, readonly GraphDefinition[]>) {
  return definitionFor({ worker, version: version ?? undefined }, definitions);
}

type Finding = readonly [kind: MisfitKind, message: string];

function misfitsOf({ worker, version, nodes }: History, definition: GraphDefinition | undefined): Finding[] {
  if (!definition) {
    const name = calledIn({ worker, version: version ?? undefined });
    return [["unknown graph", `No graph or worker is named ${name} any more: its runs would be parked`]];
  }
  // Steps of a worker are its own concern.
  const rows = nodes.filter(({ id }) => !id.includes("#"));
  const names = new Set(rows.map(({ id }) => definitionName(id)));
  return [
    ...lost(rows, definition),
    ...added(names, definition),
    ...changed(rows, definition),
    ...disordered(rows, definition),
  ];
}

type Row = History["nodes"][number];

function lost(rows: readonly Row[], { nodes }: GraphDefinition): Finding[] {
  const gone = new Set(
    rows.map(({ id }) => definitionName(id)).filter((name) => !nodes.some((node) => node.name === name)),
  );
  return [...gone].map((name) => ["missing node", `The node "${name}" is gone: the run would be parked`]);
}

/** Fan-outs have no rows before their items are known. */
function added(names: ReadonlySet<string>, { nodes }: GraphDefinition): Finding[] {
  return nodes
    .filter(({ name, map }) => !map && !names.has(name))
    .map(({ name }) => ["new node", `The node "${name}" is new: the run would be parked`]);
}

function changed(rows: readonly Row[], { nodes }: GraphDefinition): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { id, worker, status } of rows) {
    const now = nodes.find(({ name }) => name === definitionName(id))?.worker.name;
    if (now === undefined || now === worker || status === "done" || status === "skipped") continue;
    const message = `The node "${definitionName(id)}" used the worker "${worker}", and would now use "${now}"`;
    findings.set(message, ["changed worker", message]);
  }
  return [...findings.values()];
}

/** A node that is compensated was done before. */
const ENDED = ["done", "skipped", "failed", "cancelled", "compensating", "compensated", "uncompensated"];

/** A node that is done or running, although it now depends on one that has not ended. */
function disordered(rows: readonly Row[], { nodes }: GraphDefinition): Finding[] {
  const statuses = (name: string) => rows.filter(({ id }) => definitionName(id) === name).map(({ status }) => status);
  const hasBegun = (name: string) =>
    statuses(name).some((status) => !["pending", "skipped", "cancelled"].includes(status));
  const isOpen = (name: string) => statuses(name).some((status) => !ENDED.includes(status));
  return nodes.flatMap(({ name, after }) =>
    after
      .filter((before) => hasBegun(name) && isOpen(before))
      .map((before): Finding => [
        "changed order",
        `The node "${name}" has started, and would now wait for "${before}", which has not ended`,
      ]),
  );
}
