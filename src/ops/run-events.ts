/**
 * Reads a run's events for its screen. For a long run only the first and the last events are read, and the screen says so; the events view
 * is read page by page.
 */
import type { GraphEvent } from "../graph.ts";
import type { OpsContext } from "./ops-context.ts";
import { countText } from "./views/format.ts";

/** Maximum number of events at each end: more than anybody reads, and fast to load. */
const EVENTS = 5000;
const READ_AT_ONCE = 1000;
/** Events per page of the events view. */
const PAGE = 200;

type Engine = OpsContext["app"]["engine"];

export interface RunEvents {
  first: GraphEvent[];
  /** The first and the last events: all of them if there is no gap. */
  ends: GraphEvent[];
  /** Note for the screen if there are more than the first events; undefined: these are all. */
  firstText: string | undefined;
  /** The same for both ends. */
  endsText: string | undefined;
}

/** @param lastSeq number of the last event */
export async function readRunEvents(engine: Engine, id: string, lastSeq: number): Promise<RunEvents> {
  const lastFrom = Math.max(EVENTS, lastSeq - EVENTS);
  const [first, last] = await Promise.all([
    readEvents(engine, id, 0),
    lastSeq > EVENTS ? readEvents(engine, id, lastFrom) : [],
  ]);
  const [some, all] = [countText(EVENTS), countText(lastSeq)];
  return {
    first,
    ends: [...first, ...last],
    firstText: lastSeq > EVENTS ? `the first ${some} of ${all} events` : undefined,
    endsText: lastSeq > 2 * EVENTS ? `the first and the last ${some} of ${all} events` : undefined,
  };
}

async function readEvents(engine: Engine, id: string, from: number): Promise<GraphEvent[]> {
  const events: GraphEvent[] = [];
  while (events.length < EVENTS) {
    const page = await engine.events(id, { after: events.at(-1)?.seq ?? from, limit: READ_AT_ONCE });
    events.push(...page);
    if (page.length < READ_AT_ONCE) break;
  }
  return events;
}

/** A page of the events view. */
export interface EventsPage {
  shown: GraphEvent[];
  /** Number of the last event that was checked. */
  lookedTo: number;
  /** The next page starts after this number; undefined: there is none. */
  next: number | undefined;
}

/** @param fits a filter. Few events may match, so a page checks a bounded number of them */
export async function readEventsPage(
  engine: Engine,
  id: string,
  after: number,
  fits: (event: GraphEvent) => boolean,
): Promise<EventsPage> {
  const shown: GraphEvent[] = [];
  let lookedTo = after;
  while (lookedTo < after + EVENTS) {
    const events = await engine.events(id, { after: lookedTo, limit: READ_AT_ONCE });
    for (const event of events) {
      if (shown.length >= PAGE) return { shown, lookedTo, next: lookedTo };
      lookedTo = event.seq;
      if (fits(event)) shown.push(event);
    }
    if (events.length < READ_AT_ONCE) return { shown, lookedTo, next: undefined };
  }
  return { shown, lookedTo, next: lookedTo };
}
