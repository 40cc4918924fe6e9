/**
 * What the screen of a run reads of its events. Of a long run the beginning and the end are read, and what is made of them says so; its
 * list of events is read page by page, however long it is.
 */
import type { GraphEvent } from "../graph.ts";
import type { OpsContext } from "./ops-context.ts";
import { countText } from "./views/format.ts";

/** At either end: more than anybody reads, and as many as are read without being felt. */
const EVENTS = 5000;
const READ_AT_ONCE = 1000;
/** Events of a page of the list. */
const PAGE = 200;

type Engine = OpsContext["app"]["engine"];

export interface RunEvents {
  first: GraphEvent[];
  /** The first and the last: all of them where nothing is between. */
  ends: GraphEvent[];
  /** In words, where there are more than the first; undefined: these are all. */
  firstText: string | undefined;
  /** The same of both ends. */
  endsText: string | undefined;
}

/** @param lastSeq the number of its last event */
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
    firstText: lastSeq > EVENTS ? `of the first ${some} of ${all} events` : undefined,
    endsText: lastSeq > 2 * EVENTS ? `of the first and the last ${some} of ${all} events` : undefined,
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

/** A page of the list of events. */
export interface EventsPage {
  shown: GraphEvent[];
  /** The number of the last event that was looked at. */
  lookedTo: number;
  /** After which number the next page begins; undefined: there is none. */
  next: number | undefined;
}

/** @param fits which of them are wanted; few may be, so a page looks at as many as an end has and no more */
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
