/**
 * Checks stored runs against the new definitions, and lists what would break. Decides only: recovery.ts handles the same misfits when the
 * engine loads such a run.
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
export type History = Pick<Snapshot, "graph_id" | "worker" | "version" | "status" | "nodes">;

const EXAMPLES = 3;

/** @param definitions versions by name. @returns incompatibilities, unfinished runs first. */
export function misfits(
  histories: Iterable<History>,
  definitions: ReadonlyMap<string, readonly GraphDefinition[]>,
): Misfit[] {
  const found = new Map<string, Misfit>();
  for (const history of histories) {
    const isLive = history.status !== "done" && history.status !== "failed";
    for (const [kind, message] of misfitsOf(history, definitionOf(history, definitions))) {
      const key = [isLive, kind, history.worker, message].join("\n");
      const known = found.get(key) ?? {
        kind,
        worker: history.worker,
        message,
        count: 0,
        graph_ids: [],
        is_live: isLive,
      };
      known.count++;
      if (known.graph_ids.length < EXAMPLES) known.graph_ids.push(history.graph_id);
      found.set(key, known);
    }
  }
  return [...found.values()].sort((a, b) => Number(b.is_live) - Number(a.is_live));
}

function definitionOf({ worker, version }: History, definitions: ReadonlyMap<string, readonly GraphDefinition[]>) {
  return definitionFor({ worker, version: version ?? undefined }, definitions);
}

type Finding = readonly [kind: MisfitKind, message: string];

function misfitsOf({ worker, version, nodes }: History, definition: GraphDefinition | undefined): Finding[] {
  if (!definition) {
    const name = calledIn({ worker, version: version ?? undefined });
    return [["unknown graph", `No graph or worker is named ${name} any more: its runs would wait forever`]];
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
  return [...gone].map((name) => ["missing node", `The node "${name}" is gone: the graph would fail`]);
}

/** Fan-outs have no rows before their items are known. */
function added(names: ReadonlySet<string>, { nodes }: GraphDefinition): Finding[] {
  return nodes
    .filter(({ name, map }) => !map && !names.has(name))
    .map(({ name }) => ["new node", `The node "${name}" is new: the graph would fail`]);
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
