/** Starts runs: by name, once for each idempotency key, or as forks. Acknowledged once they are durable. */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { NewAudit } from "../../../storage/contract/control.ts";
import type { GraphRow, Origin, SignalRow } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { GraphDefinition, Worker } from "../../definition/definition-types.ts";
import { requireFit } from "../../definition/input-schema.ts";
import { toJson } from "../../definition/json-value.ts";
import type { ForkOptions, StartOptions } from "../../definition/audit-types.ts";
import { auditOf } from "../../machine/audit.ts";
import { newGraph } from "../../machine/new-run.ts";
import { firstNodes } from "../../machine/node-rows.ts";
import { forkRows } from "../../machine/rerun.ts";
import { nodeView, snapshotOf } from "../../machine/snapshot.ts";
import type { NewSignal } from "../../machine/machine.ts";
import type { StartReport } from "../../machine/report-types.ts";
import type { Snapshot } from "../../machine/view-types.ts";
import type { ActiveRuns } from "./active-runs.ts";
import type { ThrottledStarts } from "../events/throttled-starts.ts";
import type { Registry } from "../registry.ts";
import type { Views } from "./run-views.ts";

export interface NewGraphsOptions {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
  activeRuns: ActiveRuns;
  throttledStarts: ThrottledStarts;
  views: Views;
  /** Limit for an input, in bytes of JSON. */
  inputBytes: number;
  /** Called with each started run. */
  onStart: ((run: StartReport) => void) | undefined;
  /** Origin of the current request, if there is one. */
  origin: (() => Origin | undefined) | undefined;
}

/** Parts of a start that callers of the API do not set. */
export interface StartParts {
  /** Audit entry with the operator, if more than a note is stored. Written in the commit that starts the run. */
  audit?: (graphId: string, options: StartOptions, createdMs: number) => NewAudit | undefined;
  /** A signal to store with the start. */
  signal?: NewSignal;
  /** Whether the rule of its graph has decided about the time of the start. */
  isDecided?: boolean;
}

export class NewGraphs {
  readonly #options: NewGraphsOptions;
  #latestMs = 0;

  constructor(options: NewGraphsOptions) {
    this.#options = options;
  }

  /** The latest start time of a run of this process. Above the time of the clock if that was set back since. */
  get latestMs(): number {
    return this.#latestMs;
  }

  async start(
    what: string | GraphDefinition | Worker<never, unknown>,
    given: Json,
    options: StartOptions = {},
    { audit = noted, signal, isDecided = false }: StartParts = {},
  ): Promise<{ snapshot: Snapshot; created: boolean }> {
    const definition = this.#options.registry.startable(what);
    const { name } = definition;
    requireKnownOptions(options);
    const input = this.#inputOf(given, `The input of "${name}"`);
    // A signal is for the run with this key, whatever its input was.
    const known = await this.#known(name, signal ? undefined : input, options);
    if (known) return { snapshot: known, created: false };
    if (definition.nodes.some(({ worker }) => worker.options.input)) await requireFit(definition, input);
    const origin = options.origin ?? this.#options.origin?.() ?? { kind: "code" };
    const at = isDecided ? undefined : await this.#options.throttledStarts.startMs(definition, input);
    const timed = at === undefined ? options : { ...options, at: Math.max(at, options.at ?? 0) };
    const row = newGraph(definition, input, { ...timed, origin }, this.#startMs());
    const signals = signal ? [firstSignal(row, signal, this.#options.inputBytes)] : [];
    const lastSeq = 1 + signals.length;
    const stored = { row, nodes: firstNodes(row, definition), lastSeq, signals };
    const run = this.#options.activeRuns.create(stored, definition);
    // The accepted state. Reading it back would cost as much as writing it.
    const snapshot = snapshotOf(row, run.machine.nodes().map(nodeView), definition, lastSeq, []);
    try {
      const audited = audit(row.id, options, row.createdMs);
      await this.#options.activeRuns.insert(run, { auditContext: options, audit: audited, signals });
    } catch (error) {
      // Another start with the same key was committed first.
      const other = await this.#known(name, signal ? undefined : input, options);
      if (other) return { snapshot: other, created: false };
      throw error;
    }
    this.#options.onStart?.(startOf(row));
    return { snapshot, created: true };
  }

  #startMs(): number {
    const nowMs = this.#options.clock.now();
    this.#latestMs = Math.max(this.#latestMs, nowMs);
    return nowMs;
  }

  /** The input as stored. Workers get the same value, because another process would continue with the stored one. */
  #inputOf(given: Json, what: string): Json {
    return toJson(given, what, this.#options.inputBytes);
  }

  /** The run that was started with the same key. @throws SvcError `SVC_KEY_REUSED` if its input differs from `input`, if that is given. */
  async #known(worker: string, input: Json | undefined, options: StartOptions): Promise<Snapshot | undefined> {
    const { idempotencyKey: key, origin } = options;
    if (key === undefined) return undefined;
    const row = await this.#options.graphs.byIdempotencyKey(worker, key);
    if (!row) return undefined;
    const isOwnKey = origin !== undefined && OWN_KEYS.includes(origin.kind);
    if (!isOwnKey && input !== undefined && !isDeepStrictEqual(row.input, input))
      throw new SvcError(
        "SVC_KEY_REUSED",
        `The idempotency key "${key.slice(0, MAX_SHOWN_KEY)}" has started the run ${row.id} of "${worker}" with another input. Send the same input to get this run, or use a new key to start another one.`,
      );
    return this.#options.views.snapshot(row.id);
  }

  async fork(graphId: string, { from, input: given, ...auditContext }: ForkOptions): Promise<Snapshot> {
    const { stored, definition } = await this.#options.activeRuns.find(graphId);
    const { row: source } = stored;
    const what = `The input of "${from}" in a fork of "${source.worker}"`;
    const input = given === undefined ? undefined : this.#inputOf(given, what);
    const isWhole = definition.nodes.length === 1 && input !== undefined;
    const row = newGraph(definition, isWhole ? input : source.input, likeOf(source), this.#startMs());
    row.forkedFrom = graphId;
    const nodes = forkRows(row, definition, stored.nodes, input === undefined ? { from } : { from, input });
    const audit = auditOf("graph.fork", graphId, row.createdMs, auditContext, { graph_id: row.id, from });
    const run = this.#options.activeRuns.create({ row, nodes, lastSeq: 1, signals: [] }, definition);
    await this.#options.activeRuns.insert(run, { auditContext, audit });
    this.#options.onStart?.(startOf(row));
    return this.#options.views.of(row.id);
  }
}

/** A signal that is stored with its run, as the event after `graph.queued`. */
function firstSignal(row: GraphRow, signal: NewSignal, inputBytes: number): SignalRow {
  const payload = toJson(signal.payload, `the payload of the signal "${signal.name}"`, inputBytes);
  return { ...signal, payload, graphId: row.id, seq: 2, createdMs: row.createdMs, node: undefined };
}

/** Origins whose keys svc derives from a due time or a node: the first start counts, whatever its input. */
const OWN_KEYS: readonly Origin["kind"][] = ["schedule", "event", "graph"];
/** Enough to recognize a key in a message. */
const MAX_SHOWN_KEY = 100;

const START_OPTIONS: Readonly<Record<keyof StartOptions, true>> = {
  by: true,
  note: true,
  address: true,
  idempotencyKey: true,
  delay: true,
  priority: true,
  ttl: true,
  at: true,
  tags: true,
  attributes: true,
  summary: true,
  origin: true,
  parent: true,
};

/** @throws SvcError `SVC_INVALID` for a misspelled option, which would otherwise have no effect. */
function requireKnownOptions(options: StartOptions): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(START_OPTIONS, key));
  if (unknown === undefined) return;
  const message = `is not an option of a start; allowed are ${Object.keys(START_OPTIONS).join(", ")}`;
  throw new SvcError("SVC_INVALID", `"${unknown.slice(0, MAX_SHOWN_KEY)}" ${message}`, {
    issues: [{ path: [unknown], message }],
  });
}

/** Writes the note of an operator who starts a run. */
function noted(graphId: string, options: StartOptions, createdMs: number): NewAudit | undefined {
  return options.note === undefined ? undefined : auditOf("graph.start", graphId, createdMs, options);
}

function startOf({ id: graphId, worker, epoch, createdMs: startedMs }: GraphRow): StartReport {
  return { graphId, worker, epoch, startedMs };
}

/** Options that a fork copies from its source. The node that set the summary or the attributes may be among the copied nodes. */
function likeOf({ tags, attributes = {}, summary }: GraphRow): StartOptions {
  return { tags, attributes, origin: { kind: "fork" }, ...(summary !== undefined && { summary }) };
}
