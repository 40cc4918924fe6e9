/** `<EventStream>`: the live event log of a graph. The page initially contains its last events. */
import { Await, type App } from "../../index.ts";
import type { GraphEvent } from "../../graph.ts";
import { EventRow } from "./event-row.tsx";
import type { Bearer } from "./load-widgets.ts";
import { useLive, type LiveAttributes } from "../live/live-access.ts";
import type { LiveTopic } from "../live/topics.ts";
import { graphOf, NothingToShow, type GraphOf } from "./graph-access.tsx";
import { countText } from "../views/format.ts";

/** The data of an `<EventStream>`. */
export interface EventLog {
  graphId: string;
  /** The newest events, oldest first. */
  events: readonly GraphEvent[];
  /** Number of events before them. */
  before: number;
  /** What the widget follows. */
  topic: LiveTopic;
}

export interface EventLogOptions {
  /** Number of events in the initial page. Default 100, maximum 300. */
  limit?: number;
}

const MOST = 300;

/**
 * Reads the event log of a graph for `<EventStream>`; undefined if there is no such graph. The visitor of the page may follow the graph,
 * so check access first.
 * @example
 * const log = await readEvents(app, graphId);
 */
export function readEvents(app: App, graphId: string, options: EventLogOptions = {}): Promise<EventLog | undefined> {
  return readEventsFor(app, graphId, options);
}

/** The same with the visitor's token. */
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
    topic: { topic: "events", id: graphId, ...(token !== undefined && { token }) },
  };
}

interface EventStreamLook {
  /** Heading. Default "Events". */
  title?: string;
}

/** Either the log that a loader has read, or the ID of a graph whose log the widget reads itself. */
export type EventStreamProps = EventStreamLook & ({ log: EventLog } | (GraphOf & EventLogOptions));

/**
 * The events of a graph, line by line. Filters, following the tail and new events need script.
 * @example
 * <EventStream id={graphId} token={token} />
 */
export function EventStream(props: EventStreamProps) {
  const { title = "Events" } = props;
  const live = useLive();
  if ("log" in props) return <EventLogView log={props.log} title={title} live={live} />;
  const graph = graphOf(props);
  if (!graph) return <NothingToShow title={title} />;
  const { app, id, bearer } = graph;
  const { limit } = props;
  return (
    <Await value={readEventsFor(app, id, { ...(limit !== undefined && { limit }), ...bearer })}>
      {(log) => (log ? <EventLogView log={log} title={title} live={live} /> : <NothingToShow title={title} />)}
    </Await>
  );
}

function EventLogView({ log, title, live }: { log: EventLog; title: string; live: LiveAttributes }) {
  const titleId = `events-${log.graphId}-title`;
  return (
    <svc-live
      class="svc-events"
      {...live(log.topic)}
      data-at={log.events.at(-1)?.seq ?? log.before}
      data-widget="events"
    >
      <section aria-labelledby={titleId}>
        <header class="svc-head">
          <h2 id={titleId}>{title}</h2>
          <span class="svc-pill" data-pill="" hidden={true} />
          <form class="svc-filter" data-filter="" hidden={true}>
            <label>
              <span>Show</span>
              <select name="kind">
                <option value="">everything</option>
                <option value="graph">graph events</option>
                <option value="node">node events</option>
                <option value="log">logs</option>
                <option value="progress">progress</option>
                <option value="custom">custom events</option>
              </select>
            </label>
            <label>
              <span>containing</span>
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
