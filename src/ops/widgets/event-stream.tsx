/** `<EventStream>`: the events of a graph as a log that goes on. The last of them stand in the page as it comes. */
import { Await, type App } from "../../index.ts";
import type { GraphEvent } from "../../graph.ts";
import { EventRow } from "./event-row.tsx";
import { liveSrc, type Bearer } from "./load-widgets.ts";
import { graphOf, NothingToShow, type GraphOf } from "./graph-access.tsx";
import { countText } from "../views/format.ts";

/** The events of a graph as the widget takes them. */
export interface EventLog {
  graphId: string;
  /** The last ones, oldest first. */
  events: readonly GraphEvent[];
  /** How many there are before them. */
  before: number;
  /** Where the page follows them, for a day: whoever has this address may read them. */
  src: string;
}

export interface EventLogOptions {
  /** How many of the last events the page has from the start. Default 100, most 300. */
  limit?: number;
}

const MOST = 300;

/** The log of a graph for `<EventStream>`; undefined where there is none of this id. Whoever gets the page may follow it for a day. */
export function readEvents(app: App, graphId: string, options: EventLogOptions = {}): Promise<EventLog | undefined> {
  return readEventsFor(app, graphId, options);
}

/** The same, for whoever has a token. */
async function readEventsFor(
  app: App,
  graphId: string,
  { limit = 100, token }: EventLogOptions & Bearer,
): Promise<EventLog | undefined> {
  const snapshot = await app.engine.snapshot(graphId);
  if (!snapshot) return undefined;
  const before = Math.max(0, snapshot.last_seq - Math.min(Math.max(limit, 1), MOST));
  const events = await app.engine.events(graphId, { after: before, limit: MOST });
  return {
    graphId,
    events,
    before,
    src: liveSrc(app, { topic: "events", id: graphId, ...(token !== undefined && { token }) }),
  };
}

interface EventStreamLook {
  /** Heading above it. Default "Events". */
  title?: string;
}

/** What a loader has read, or the id of a graph, which the widget reads itself. */
export type EventStreamProps = EventStreamLook & ({ log: EventLog } | (GraphOf & EventLogOptions));

/** What happened to a graph, line by line: filter, following of the tail and news come with script. */
export function EventStream(props: EventStreamProps) {
  const { title = "Events" } = props;
  if ("log" in props) return <EventLogView log={props.log} title={title} />;
  const graph = graphOf(props);
  if (!graph) return <NothingToShow title={title} />;
  const { app, id, bearer } = graph;
  const { limit } = props;
  return (
    <Await value={readEventsFor(app, id, { ...(limit !== undefined && { limit }), ...bearer })}>
      {(log) => (log ? <EventLogView log={log} title={title} /> : <NothingToShow title={title} />)}
    </Await>
  );
}

function EventLogView({ log, title }: { log: EventLog; title: string }) {
  const titleId = `events-${log.graphId}-title`;
  return (
    <svc-live class="svc-events" data-src={log.src} data-at={log.events.at(-1)?.seq ?? log.before} data-widget="events">
      <section aria-labelledby={titleId}>
        <header class="svc-head">
          <h2 id={titleId}>{title}</h2>
          <span class="svc-pill" data-pill="" hidden={true} />
          <form class="svc-filter" data-filter="" hidden={true}>
            <label>
              <span>Show</span>
              <select name="kind">
                <option value="">everything</option>
                <option value="graph">the graph</option>
                <option value="node">nodes</option>
                <option value="log">logs</option>
                <option value="progress">progress</option>
                <option value="custom">own events</option>
              </select>
            </label>
            <label>
              <span>with</span>
              <input type="search" name="text" placeholder="text or node" autocomplete="off" />
            </label>
            <label class="svc-check">
              <input type="checkbox" name="tail" checked={true} /> <span>follow</span>
            </label>
          </form>
        </header>
        <p class="svc-gap" data-before={log.before} hidden={log.before === 0}>
          {countText(log.before)} earlier events are not shown
        </p>
        <ol class="svc-log" tabindex="0" aria-label={title} data-rows="">
          {log.events.map((event) => (
            <EventRow event={event} />
          ))}
        </ol>
        <p class="svc-ear" role="status" data-news="" />
      </section>
    </svc-live>
  );
}
