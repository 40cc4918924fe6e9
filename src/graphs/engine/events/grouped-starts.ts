/**
 * Starts of graphs with a rule: debounce, throttle, rateLimit, batchEvents. An event joins its group in the transaction that records this
 * with the event. A due group is closed first and started afterwards, with the key of its last event: a crash in between repeats the
 * start, which has no effect.
 */
import type { Clock, Timer } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { Log } from "../../../platform/shared/log.ts";
import { sentMsOf, type SentEventRow } from "../../../storage/contract/sent-events.ts";
import type { StartGroupRow, StartGroupRows } from "../../../storage/contract/start-groups.ts";
import type { GraphDefinition } from "../../definition/definition-types.ts";
import { START_RULES, type StartRules } from "../../definition/start-rule-types.ts";
import { startKey } from "../../machine/event-signal.ts";
import type { EngineState } from "../engine-state.ts";
import type { Registry } from "../registry.ts";
import type { Busy } from "../runs/idle-tracker.ts";
import type { NewGraphs } from "../runs/start-run.ts";
import { ofAuthor } from "./author-code.ts";
import { keyOf } from "./start-key.ts";
import { decideStart } from "./start-rules.ts";

export interface GroupedStartsOptions {
  rows: StartGroupRows;
  registry: Registry;
  newGraphs: NewGraphs;
  clock: Clock;
  log: Log;
  /** Busy while runs are being started. */
  busy: Busy;
  state: EngineState;
  inputBytes: number;
}

/** Groups to read at a time. */
const SLICE = 100;
/** Time before due groups are read again after a fault of the store. */
const AGAIN_MS = 1000;
/** Interval for checking the clock, which may be set. */
const LOOK_MS = 60_000;

/** Whether a rule decides about the starts of a graph. */
export function hasStartRule(options: StartRules): boolean {
  return START_RULES.some((rule) => options[rule] !== undefined);
}

export class GroupedStarts {
  readonly #options: GroupedStartsOptions;
  #timer: Timer | undefined;
  #timerMs = Infinity;

  constructor(options: GroupedStartsOptions) {
    this.#options = options;
  }

  /** @param data the data for the run's input. @returns ids of runs that have started now */
  async join({ name: graph, options }: GraphDefinition, row: SentEventRow, data: Json): Promise<string[]> {
    const { rows, clock, inputBytes } = this.#options;
    const key = await ofAuthor(() => keyOf(graph, options, data));
    const event = { id: row.id, name: row.name, sentMs: sentMsOf(row), data };
    const decided = await rows.join(row, graph, key, (open) =>
      decideStart(options, { graph, key, event, nowMs: clock.now(), inputBytes }, open),
    );
    for (const one of decided ?? []) if (one.isOpen) this.#wakeAt(one.dueMs);
    const ids: string[] = [];
    for (const one of decided ?? []) if (!one.isOpen) ids.push(...(await this.#start(one)));
    return ids;
  }

  /** Starts what an earlier process has left, in the background. */
  begin(): void {
    void this.#run();
  }

  /** Another process may have died with due groups. */
  async lookAgain(): Promise<void> {
    await this.#startDue();
  }

  close(): void {
    this.#timer?.cancel();
  }

  #wakeAt(dueMs: number): void {
    const { clock, state } = this.#options;
    if (state.isClosing || dueMs >= this.#timerMs) return;
    this.#timer?.cancel();
    this.#timerMs = dueMs;
    this.#timer = clock.schedule(Math.min(Math.max(0, dueMs - clock.now()), LOOK_MS), () => {
      this.#timerMs = Infinity;
      void this.#run();
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { rows, clock, busy, log } = this.#options;
    busy.begin();
    try {
      await this.#startDue();
      this.#wakeAt((await rows.nextDueMs()) ?? Infinity);
    } catch (err) {
      log.error({ err }, "Runs that wait for more events could not be started. It is tried again.");
      this.#wakeAt(clock.now() + AGAIN_MS);
    }
    busy.end();
  }

  async #startDue(): Promise<void> {
    const { rows, clock, state, registry } = this.#options;
    for (let isMore = true; isMore && !state.isClosing;) {
      const nowMs = clock.now();
      const due = await rows.due(nowMs, SLICE);
      // A graph that only another build has is left to it.
      const own = due.filter(({ graph }) => registry.get(graph));
      for (const row of own) {
        const closed = await rows.close(row, nowMs);
        if (closed) await this.#start(closed);
      }
      isMore = due.length === SLICE && own.length > 0;
    }
  }

  /** @returns the id of the run; none for a row that only counts, and for a run that can never start. */
  async #start(row: StartGroupRow): Promise<string[]> {
    const { rows, newGraphs, clock, log } = this.#options;
    const { graph, events, isList, dueMs } = row;
    const last = events.at(-1);
    const ids: string[] = [];
    try {
      if (last) {
        const origin = { kind: "event", name: last.name, sentMs: last.sentMs } as const;
        const at = dueMs > clock.now() ? { at: dueMs } : {};
        const input = isList ? events.map(({ data }) => data) : last.data;
        const starting = { idempotencyKey: startKey(last), origin, ...at };
        const { snapshot } = await newGraphs.start(graph, input, starting, { isDecided: true });
        ids.push(snapshot.graph_id);
      }
    } catch (err) {
      if (!isFinal(err)) throw err;
      log.warn({ graph, events: events.map(({ id }) => id), err }, `Events could not start "${graph}"`);
    }
    await rows.remove(row);
    return ids;
  }
}

/** Whether another try would be rejected as well. */
function isFinal(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC_INVALID" || error.code === "SVC_TOO_LARGE");
}
