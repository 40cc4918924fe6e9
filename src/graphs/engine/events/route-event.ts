/**
 * Brings a stored event to its runs: starts those of graphs with `on`, cancels by `cancelOn`, and resumes steps that wait. Each part has
 * an idempotency key or changes nothing the second time, so an event may be routed again after a crash, or by two processes.
 */
import { SvcError, type ErrorCode } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { Log } from "../../../platform/shared/log.ts";
import { parseWith } from "../../../platform/shared/schema.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import { sentMsOf, type AwaitingStep, type SentEventRow } from "../../../storage/contract/sent-events.ts";
import type { GraphDefinition } from "../../definition/definition-types.ts";
import { matchesEvent } from "../../definition/event-match.ts";
import type { CancelOn } from "../../definition/event-types.ts";
import { toJson } from "../../definition/json-value.ts";
import { eventKey, eventSignal, sentEventOf, startKey } from "../../machine/event-signal.ts";
import type { Registry } from "../registry.ts";
import { ofAuthor } from "./author-code.ts";
import { hasStartRule, type GroupedStarts } from "./grouped-starts.ts";
import type { Steps } from "../runs/run-controls.ts";
import type { NewGraphs } from "../runs/start-run.ts";

export interface EventRouterOptions {
  graphs: GraphStore;
  registry: Registry;
  newGraphs: NewGraphs;
  groupedStarts: GroupedStarts;
  steps: Steps;
  log: Log;
}

/** Steps and runs to read at a time. */
const SLICE = 200;
const UNFINISHED = ["pending", "queued", "running", "paused"] as const;
/** Rejections that another try would meet again. */
const FINAL: readonly ErrorCode[] = [
  "SVC_INVALID",
  "SVC_TRANSITION",
  "SVC_NOT_FOUND",
  "SVC_TOO_LARGE",
  "SVC_DEFINITION",
];

export class EventRouter {
  readonly #options: EventRouterOptions;

  constructor(options: EventRouterOptions) {
    this.#options = options;
  }

  /**
   * @param earlier events that are being routed: the runs that they start must exist before this event cancels them, and a wait receives
   * them first. Never rejects.
   * @throws faults of the store: the event is routed again then.
   */
  async route(row: SentEventRow, earlier: Promise<unknown>): Promise<void> {
    // An event affects only runs from before, not those that it starts.
    const started = new Set(await this.#start(row));
    await earlier;
    await this.#cancel(row, started);
    await this.#resume(row, started);
  }

  // Starts.

  async #start(row: SentEventRow): Promise<string[]> {
    const { registry } = this.#options;
    const ids: string[] = [];
    for (const name of registry.names()) {
      const definition = registry.get(name);
      if (definition?.options.on?.name !== row.name) continue;
      await this.#tried(row, `start "${name}"`, async () => void ids.push(...(await this.#startOne(definition, row))));
    }
    return ids;
  }

  async #startOne(definition: GraphDefinition, row: SentEventRow): Promise<string[]> {
    const { newGraphs, groupedStarts } = this.#options;
    const { name, options } = definition;
    const input = await ofAuthor(async () => {
      const value = options.on?.schema ? await parseWith(options.on.schema, row.data) : row.data;
      return toJson(value, `the output of the schema of "${row.name}"`, Infinity);
    });
    if (hasStartRule(options)) return groupedStarts.join(definition, row, input);
    const origin = { kind: "event", name: row.name, sentMs: sentMsOf(row) } as const;
    const { snapshot } = await newGraphs.start(name, input, { idempotencyKey: startKey(row), origin });
    return [snapshot.graph_id];
  }

  // Cancels.

  async #cancel(row: SentEventRow, started: ReadonlySet<string>): Promise<void> {
    for (const [worker, definitions] of this.#options.registry.all()) {
      const isNamed = definitions.some(({ options }) => options.cancelOn?.some(({ event }) => event.name === row.name));
      if (isNamed) for (const status of UNFINISHED) await this.#cancelAll(row, { worker, status }, started);
    }
  }

  async #cancelAll(
    row: SentEventRow,
    query: { worker: string; status: (typeof UNFINISHED)[number] },
    started: ReadonlySet<string>,
  ): Promise<void> {
    const { graphs, registry, steps } = this.#options;
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const page = await graphs.list({ ...query, limit: SLICE, ...(cursor !== undefined && { cursor }) });
      for (const { row: run } of await graphs.heads(page.items.map(({ id }) => id))) {
        // A run that was started later than the event is not meant, unless it waited to be started by an event.
        const isLater = run.createdMs > sentMsOf(row) && run.origin?.kind !== "event";
        if (started.has(run.id) || isLater) continue;
        await this.#tried(row, `cancel the run ${run.id}`, async () => {
          const rules = registry.of(run)?.options.cancelOn ?? [];
          if (!(await ofAuthor(() => rules.some((rule) => isMeant(rule, run.input, row))))) return;
          await steps.cancel(run.id, { by: `event ${row.name}`, message: `Cancelled by the event "${row.name}"` });
        });
      }
      cursor = page.nextCursor;
    }
  }

  // Waits.

  async #resume(row: SentEventRow, started: ReadonlySet<string>): Promise<void> {
    const { graphs } = this.#options;
    for (let after: AwaitingStep | undefined, isMore = true; isMore;) {
      const waiting: AwaitingStep[] = await graphs.awaiting(row.name, SLICE, after);
      const meant = waiting.filter(({ graphId, match }) => !started.has(graphId) && matchesEvent(row.data, match));
      await Promise.all(
        meant.map((step) => this.#tried(row, `resume ${step.nodeId}`, () => this.#resumeOne(step, row))),
      );
      [after, isMore] = [waiting.at(-1), waiting.length === SLICE];
    }
  }

  async #resumeOne({ graphId, nodeId }: AwaitingStep, row: SentEventRow): Promise<void> {
    const { steps } = this.#options;
    // Plain JSON.
    const payload = sentEventOf(row) as unknown as Json;
    await steps.signal(graphId, eventSignal(nodeId), payload, { idempotencyKey: eventKey(nodeId, row.id) });
  }

  /** A rejection concerns one run; the event still reaches the others. */
  async #tried({ name, id }: SentEventRow, what: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SvcError) || !FINAL.includes(error.code)) throw error;
      this.#options.log.warn({ event: name, id, err: error }, `The event "${name}" (${id}) could not ${what}`);
    }
  }
}

function isMeant({ event, match }: CancelOn, input: Json, { name, data }: SentEventRow): boolean {
  if (event.name !== name) return false;
  // The definition's type says which input its function takes, and the run was started with it.
  return match === undefined || matchesEvent(data, match(input as never) as Json);
}
