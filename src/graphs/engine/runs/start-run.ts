/** Starts runs: by name, once for each idempotency key, or as forks. Acknowledged once they are durable. */
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { NewAudit } from "../../../storage/contract/control.ts";
import type { GraphRow, Origin } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import { requireFit } from "../../definition/input-schema.ts";
import { toJson } from "../../definition/json-value.ts";
import type { ForkOptions, StartOptions } from "../../definition/audit-types.ts";
import { auditOf } from "../../machine/audit.ts";
import { newGraph } from "../../machine/new-run.ts";
import { firstNodes } from "../../machine/node-rows.ts";
import { forkRows } from "../../machine/rerun.ts";
import { nodeView, snapshotOf } from "../../machine/snapshot.ts";
import type { Snapshot } from "../../machine/view-types.ts";
import type { ActiveRuns } from "./active-runs.ts";
import type { Registry } from "../registry.ts";
import type { Views } from "./run-views.ts";

export interface NewGraphsOptions {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
  activeRuns: ActiveRuns;
  views: Views;
  /** Limit for an input, in bytes of JSON. */
  inputBytes: number;
  /** Called with the name of a started graph. */
  onStart: ((worker: string) => void) | undefined;
  /** Origin of the current request, if there is one. */
  origin: (() => Origin | undefined) | undefined;
}

export class NewGraphs {
  readonly #options: NewGraphsOptions;

  constructor(options: NewGraphsOptions) {
    this.#options = options;
  }

  /** @param audit entry with the operator, if more than a note is stored. Written in the commit that starts the run. */
  async start(
    name: string,
    given: Json,
    options: StartOptions = {},
    audit: (graphId: string, options: StartOptions, createdMs: number) => NewAudit | undefined = noted,
  ): Promise<{ snapshot: Snapshot; created: boolean }> {
    const definition = this.#options.registry.get(name);
    if (!definition)
      throw new SvcError(
        "SVC_NOT_FOUND",
        `No worker or graph is named "${name}"; known: ${this.#options.registry.names().join(", ") || "none"}`,
      );
    const { idempotencyKey: key } = options;
    const known = key === undefined ? undefined : await this.#known(name, key);
    if (known) return { snapshot: known, created: false };
    const input = this.#inputOf(given, `The input of "${name}"`);
    if (definition.nodes.some(({ worker }) => worker.options.input)) await requireFit(definition, input);
    const origin = options.origin ?? this.#options.origin?.() ?? { kind: "code" };
    const row = newGraph(definition, input, { ...options, origin }, this.#options.clock.now());
    const stored = { row, nodes: firstNodes(row, definition), lastSeq: 1, signals: [] };
    const run = this.#options.activeRuns.create(stored, definition);
    // The accepted state. Reading it back would cost as much as writing it.
    const snapshot = snapshotOf(row, run.machine.nodes().map(nodeView), definition, 1, []);
    try {
      await this.#options.activeRuns.insert(run, options, audit(row.id, options, row.createdMs));
    } catch (error) {
      // Another start with the same key was committed first.
      const other = key === undefined ? undefined : await this.#known(name, key);
      if (other) return { snapshot: other, created: false };
      throw error;
    }
    this.#options.onStart?.(row.worker);
    return { snapshot, created: true };
  }

  /** The input as stored. Workers get the same value, because another process would continue with the stored one. */
  #inputOf(given: Json, what: string): Json {
    return toJson(given, what, this.#options.inputBytes);
  }

  async #known(worker: string, key: string): Promise<Snapshot | undefined> {
    const row = await this.#options.graphs.byIdempotencyKey(worker, key);
    return row && this.#options.views.snapshot(row.id);
  }

  async fork(graphId: string, { from, input: given, ...auditContext }: ForkOptions): Promise<Snapshot> {
    const { stored, definition } = await this.#options.activeRuns.find(graphId);
    const { row: source } = stored;
    const what = `The input of "${from}" in a fork of "${source.worker}"`;
    const input = given === undefined ? undefined : this.#inputOf(given, what);
    const isWhole = definition.nodes.length === 1 && input !== undefined;
    const row = newGraph(definition, isWhole ? input : source.input, likeOf(source), this.#options.clock.now());
    row.forkedFrom = graphId;
    const nodes = forkRows(row, definition, stored.nodes, input === undefined ? { from } : { from, input });
    const audit = auditOf("graph.fork", graphId, row.createdMs, auditContext, { graph_id: row.id, from });
    const run = this.#options.activeRuns.create({ row, nodes, lastSeq: 1, signals: [] }, definition);
    await this.#options.activeRuns.insert(run, auditContext, audit);
    this.#options.onStart?.(row.worker);
    return this.#options.views.of(row.id);
  }
}

/** Writes the note of an operator who starts a run. */
function noted(graphId: string, options: StartOptions, createdMs: number): NewAudit | undefined {
  return options.note === undefined ? undefined : auditOf("graph.start", graphId, createdMs, options);
}

/** Options that a fork copies from its source. The node that wrote the summary may be among the copied nodes. */
function likeOf({ tags, summary }: GraphRow): StartOptions {
  return { tags, origin: { kind: "fork" }, ...(summary !== undefined && { summary }) };
}
