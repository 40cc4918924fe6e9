/**
 * Events that the app sends. Each is stored first and acknowledged; route-event.ts brings it to its runs. An event stays pending until
 * that is done, so a crash in between loses nothing: this process continues at its next start, or another one does so at its next sweep.
 */
import { randomInt } from "node:crypto";
import { createId } from "../../../platform/security/random.ts";
import { durationMs, type Clock, type Duration } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Log } from "../../../platform/shared/log.ts";
import {
  POSITIONS_PER_MS,
  positionAt,
  sentMsOf,
  type NewSentEvent,
  type SentEventRow,
  type SentEventRows,
} from "../../../storage/contract/sent-events.ts";
import { isEventName } from "../../definition/event.ts";
import type { EventDefinition } from "../../definition/event-types.ts";
import { requireValid } from "../../definition/input-schema.ts";
import { toJson } from "../../definition/json-value.ts";
import { startKey } from "../../machine/event-signal.ts";
import type { EngineState } from "../engine-state.ts";
import type { Busy } from "../runs/idle-tracker.ts";
import type { SendOptions, SentEventsQuery, SentEventView } from "./event-types.ts";
import type { GroupedStarts } from "./grouped-starts.ts";
import type { NewGraphs } from "../runs/start-run.ts";
import type { EventRouter } from "./route-event.ts";

export interface SentEventsOptions {
  rows: SentEventRows;
  router: EventRouter;
  groupedStarts: GroupedStarts;
  newGraphs: Pick<NewGraphs, "latestMs">;
  /** Events with a known definition, by name. */
  known: ReadonlyMap<string, EventDefinition>;
  clock: Clock;
  log: Log;
  /** Busy while events are being routed. */
  busy: Busy;
  state: EngineState;
  /** Limit for the data of an event, in bytes of JSON. */
  inputBytes: number;
  retention: Duration | undefined;
}

/** The time for which Inngest recognizes ids as well. */
const KEPT = "24h";
const MAX_ID_LENGTH = 255;
/** Time before an event is routed again after a fault of the store. */
const AGAIN_MS = 1000;
/** A pending event of another process is left to it for this long. */
const OTHERS_MS = 5000;
/** Clocks of processes may differ by this much. */
const SKEW_MS = 60_000;
/** Pending events to read at a time, and to route at once. */
const SLICE = 100;
/** Time between two deletions of expired events, and events per deletion. */
const PURGE_MS = 60_000;
const PURGE_SLICE = 1000;

export class SentEvents {
  readonly #options: SentEventsOptions;
  readonly #keptMs: number;
  /** Events that this process is routing. */
  readonly #routing = new Set<string>();
  /** Resolves once all of them are routed. */
  #last: Promise<unknown> = Promise.resolve();
  #position = 0;
  /** Two processes rarely use the same position. */
  readonly #offset = randomInt(POSITIONS_PER_MS);
  #purgedMs = -Infinity;
  /** Whether pending events will be read soon. */
  #isLookDue = false;

  constructor(options: SentEventsOptions) {
    this.#options = options;
    this.#keptMs = durationMs(options.retention ?? KEPT);
  }

  /** @throws SvcError `SVC_INVALID`, `SVC_TOO_LARGE`, errors of the store. */
  async send(
    event: EventDefinition | string,
    given: unknown,
    { id = createId() }: SendOptions = {},
  ): Promise<{ id: string; created: boolean }> {
    const { inputBytes, known } = this.#options;
    const name = typeof event === "string" ? event : event.name;
    requireSendable(name, id);
    const data = toJson(given, `the data of the event "${name}"`, inputBytes);
    const { schema } = known.get(name) ?? (typeof event === "string" ? { schema: undefined } : event);
    if (schema) await requireValid(schema, "data", data);
    this.#position = this.#nextPosition();
    const row = { name, id, position: this.#position, data };
    const created = await this.#add(row);
    if (created) this.#route({ ...row, isPending: true });
    return { id, created };
  }

  /** After the starts of runs and the events of this process, also if the clock was set back since: they are compared with these. */
  #nextPosition(): number {
    const { clock, newGraphs } = this.#options;
    const sentMs = Math.max(clock.now(), newGraphs.latestMs);
    return Math.max(this.#position + 1, positionAt(sentMs) + this.#offset);
  }

  /** A write that fails may be in the store all the same, and sending the event again does not route it: the id is known then. */
  async #add(row: NewSentEvent): Promise<boolean> {
    try {
      return await this.#options.rows.add(row);
    } catch (error) {
      this.#lookSoon();
      throw error;
    }
  }

  async sentEvents({ cursor, ...query }: SentEventsQuery = {}): Promise<{
    events: SentEventView[];
    nextCursor: string | undefined;
  }> {
    const limit = Math.min(Math.max(Math.trunc(query.limit ?? 50), 1), 199);
    const before = cursor === undefined ? {} : { before: readCursor(cursor) };
    const rows = await this.#options.rows.list({ ...query, ...before, limit: limit + 1 });
    const events = rows.slice(0, limit);
    return {
      events: events.map(viewOf),
      nextCursor: rows.length > limit ? String(events.at(-1)?.position) : undefined,
    };
  }

  /** Routes the events that an earlier process has left, in the background. */
  begin(): void {
    this.#options.groupedStarts.begin();
    this.#lookNow();
  }

  /** Another process may have died with pending events. */
  async lookAgain(): Promise<void> {
    await this.#options.groupedStarts.lookAgain();
    const nowMs = this.#options.clock.now();
    await this.#look(-1, positionAt(nowMs - OTHERS_MS));
    // A clock was set back since, so their time does not tell how long they have waited.
    await this.#look(positionAt(nowMs + SKEW_MS), Number.MAX_SAFE_INTEGER);
  }

  close(): void {
    this.#options.groupedStarts.close();
  }

  #lookSoon(): void {
    const { clock, state } = this.#options;
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    clock.schedule(AGAIN_MS, () => {
      this.#isLookDue = false;
      if (!state.isClosing) this.#lookNow();
    });
  }

  #lookNow(): void {
    const { busy, log } = this.#options;
    busy.begin();
    this.#look(-1, Number.MAX_SAFE_INTEGER)
      .catch((err: unknown) => {
        log.error({ err }, "Pending events could not be read. It is tried again.");
        this.#lookSoon();
      })
      .finally(() => busy.end());
  }

  async #look(first: number, before: number): Promise<void> {
    const { rows } = this.#options;
    await this.#purge();
    for (let found: SentEventRow[], after = first; ; after = found.at(-1)?.position ?? after) {
      found = await rows.pending(after, before, SLICE);
      for (const row of found) this.#route(row);
      if (found.length < SLICE) return;
      await this.#last;
    }
  }

  /** In the background: the event is stored. */
  #route(row: SentEventRow): void {
    const { busy, state } = this.#options;
    const key = startKey(row);
    if (state.isClosing || this.#routing.has(key)) return;
    this.#routing.add(key);
    busy.begin();
    const earlier = this.#last;
    const routed = this.#options.router.route(row, earlier);
    this.#last = routed.then(
      () => earlier,
      () => earlier,
    );
    void this.#finish(row, routed).finally(() => {
      this.#routing.delete(key);
      busy.end();
    });
  }

  /** Never rejects. */
  async #finish(row: SentEventRow, routed: Promise<void>): Promise<void> {
    const { rows, clock, log } = this.#options;
    try {
      await routed;
      await rows.handled(row.name, row.id);
      await this.#purge();
    } catch (error) {
      const text = `The event "${row.name}" could not reach all its runs. It is tried again.`;
      log.error({ event: row.name, id: row.id, err: error }, text);
      clock.schedule(AGAIN_MS, () => this.#route(row));
    }
  }

  /** Deletes expired events, at most once a minute. */
  async #purge(): Promise<void> {
    const { rows, clock } = this.#options;
    if (clock.elapsed() - this.#purgedMs < PURGE_MS) return;
    this.#purgedMs = clock.elapsed();
    const before = positionAt(clock.now() - this.#keptMs);
    for (let count = PURGE_SLICE; count === PURGE_SLICE;) ({ count } = await rows.purge(before, PURGE_SLICE));
  }
}

/** @throws SvcError `SVC_INVALID` */
function requireSendable(name: unknown, id: unknown): void {
  if (!isEventName(name))
    throw invalid("name", "must be a letter, then letters, digits or any of . _ : / -, at most 100 characters");
  if (typeof id !== "string" || id === "" || id.length > MAX_ID_LENGTH)
    throw invalid("id", `must be a text of 1 to ${MAX_ID_LENGTH} characters`);
}

function readCursor(cursor: string): number {
  if (/^\d{1,16}$/.test(cursor)) return Number(cursor);
  throw invalid("cursor", "must be the cursor of an earlier response");
}

function invalid(name: string, problem: string): SvcError {
  return new SvcError("SVC_INVALID", `"${name}" ${problem}`, { issues: [{ path: [name], message: problem }] });
}

function viewOf(row: SentEventRow): SentEventView {
  const { id, name, data, isPending } = row;
  return { id, name, data, sent_ms: sentMsOf(row), pending: isPending };
}
