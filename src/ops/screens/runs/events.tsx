/** The events of a run, oldest first, paged, with filters by type and text. */
import type { GraphEvent, Json } from "../../../graph.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import { hiddenCount, redacted } from "../../views/runs/payload.ts";
import { LOG_LEVELS, runQueryText, type RunQuery } from "../../views/runs/run-query.ts";
import { countText, momentText } from "../../views/format.ts";
import type { RunData } from "../../run-data.ts";
import { readEventsPage, type EventsPage } from "../../run-events.ts";
import { Empty, Pager } from "../parts.tsx";
import { Reveal } from "../reveal.tsx";

const MAX_LENGTH = 400;

export function loadEvents(
  { app, redact }: OpsContext,
  id: string,
  query: RunQuery,
  isRevealed: boolean,
): Promise<EventsPage> {
  const textOf = (data: Json): string => shownText(data, redact, isRevealed);
  return readEventsPage(app.engine, id, query.after, (event) => fits(event, query, textOf));
}

export function EventList({ data, page, opsContext }: { data: RunData; page: EventsPage; opsContext: OpsContext }) {
  const { run, events, query, isRevealed } = data;
  const { shown, lookedTo, next } = page;
  const id = run.graph_id;
  const known = [...events.ends, ...shown].map(({ type }) => type);
  const types = [...new Set(known)].sort();
  return (
    <div class="stack-loose">
      <form method="get" action={`${OPS_PATH}/runs/${id}`} class="filters" role="search" aria-label="Filter events">
        <input type="hidden" name="view" value="events" />
        <label>
          Type
          <select name="type">
            <option value="">all</option>
            {types.map((type) => (
              <option value={type} selected={query.type === type} key={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
        <label>
          Log level
          <select name="level">
            <option value="">all events</option>
            {LOG_LEVELS.map((level) => (
              <option value={level} selected={query.level === level} key={level}>
                {level}
              </option>
            ))}
          </select>
        </label>
        <label>
          Contains
          <input name="text" value={query.text} autocomplete="off" data-key="/" />
        </label>
        <button type="submit" class="button">
          Filter
        </button>
      </form>
      {shown.length === 0 ? (
        <Empty title="No matching events">
          <p>
            <a href={`${OPS_PATH}/runs/${id}?view=events`}>Show all events</a>
          </p>
        </Empty>
      ) : (
        <Events events={shown} opsContext={opsContext} isRevealed={isRevealed} startMs={run.created_ms} />
      )}
      <Reveal hidden={hiddenIn(shown, opsContext.redact)} data={data} opsContext={opsContext} />
      <Pager
        href={next === undefined ? undefined : `${OPS_PATH}/runs/${id}${runQueryText(query, { after: String(next) })}`}
        text={`${countText(shown.length)} event${shown.length === 1 ? "" : "s"} in #${query.after + 1} to #${lookedTo} of ${countText(run.last_seq)}`}
        label="Later"
      />
    </div>
  );
}

/** Number of hidden values in the data of these events. */
export function hiddenIn(events: readonly GraphEvent[], keys: readonly string[]): number {
  return events.reduce((sum, { data }) => sum + hiddenCount(data ?? null, keys), 0);
}

interface EventsProps {
  events: readonly GraphEvent[];
  opsContext: OpsContext;
  isRevealed: boolean;
  startMs: number;
}

export function Events({ events, opsContext, isRevealed, startMs }: EventsProps) {
  return (
    <ol class="events">
      {events.map(({ seq, type, node, timestampMs, data }) => (
        <li id={`event-${seq}`} key={seq}>
          <time
            datetime={new Date(timestampMs).toISOString()}
            title={momentText(timestampMs, opsContext.zone)}
            class="quiet"
          >
            <a href={`#event-${seq}`}>{`#${seq}`}</a> {`+${((timestampMs - startMs) / 1000).toFixed(3)} s`}
          </time>
          <span>
            <strong>{type}</strong> {node ?? ""}
          </span>
          <code>{dataText(data, opsContext.redact, isRevealed)}</code>
        </li>
      ))}
    </ol>
  );
}

/** The complete text without hidden values. A search must not match hidden values, or they could be guessed letter by letter. */
function shownText(data: Json, keys: readonly string[], isRevealed: boolean): string {
  return JSON.stringify(redacted(data, { keys, isRevealed }));
}

function dataText(data: GraphEvent["data"], redact: readonly string[], isRevealed: boolean): string {
  if (data === undefined || data === null) return "";
  const text = shownText(data, redact, isRevealed);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function fits({ type, node, data }: GraphEvent, wanted: RunQuery, textOf: (data: Json) => string): boolean {
  const { text, level } = wanted;
  if (level !== "" && (type !== "log" || levelOf(data) !== level)) return false;
  if (wanted.type !== "" && type !== wanted.type) return false;
  if (text === "") return true;
  return `${type} ${node ?? ""} ${textOf(data ?? "")}`.toLowerCase().includes(text.toLowerCase());
}

function levelOf(data: GraphEvent["data"]): Json | undefined {
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data["level"] : undefined;
}
