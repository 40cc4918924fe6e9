/** The events of a run, oldest first, a page at a time; by type and by text. */
import type { GraphEvent, Json } from "../../../graph.ts";
import { OPS_PATH } from "../access.ts";
import type { Look } from "../look.ts";
import { redacted } from "../views/payload.ts";
import { runQueryText } from "../views/run-query.ts";
import { countText, momentText } from "../views/text.ts";
import type { RunData } from "../run-data.ts";
import { Empty, Pager } from "./parts.tsx";

const PAGE = 200;
const MAX_LENGTH = 400;

export function EventList({ data, look }: { data: RunData; look: Look }) {
  const { run, events, query, isRevealed } = data;
  const id = run.graph_id;
  const types = [...new Set(events.map(({ type }) => type))].sort();
  const fitting = events.filter((event) => fits(event, query, (shown) => shownText(shown, look.redact, isRevealed)));
  const shown = fitting.filter(({ seq }) => seq > query.after).slice(0, PAGE);
  const last = shown.at(-1)?.seq ?? 0;
  const isMore = fitting.some(({ seq }) => seq > last);
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
          Holds
          <input name="text" value={query.text} autocomplete="off" data-key="/" />
        </label>
        <button type="submit" class="button">
          Filter
        </button>
      </form>
      {shown.length === 0 ? (
        <Empty title="No event fits">
          <p>
            <a href={`${OPS_PATH}/runs/${id}?view=events`}>Look at all events</a>
          </p>
        </Empty>
      ) : (
        <Events events={shown} look={look} isRevealed={isRevealed} startMs={run.created_ms} />
      )}
      <Pager
        href={isMore ? `${OPS_PATH}/runs/${id}${runQueryText(query, { after: String(last) })}` : undefined}
        text={`${countText(shown.length)} of ${countText(fitting.length)} events`}
        label="Later"
      />
    </div>
  );
}

interface EventsProps {
  events: readonly GraphEvent[];
  look: Look;
  isRevealed: boolean;
  startMs: number;
}

export function Events({ events, look, isRevealed, startMs }: EventsProps) {
  return (
    <ol class="events">
      {events.map(({ seq, type, node, timestampMs, data }) => (
        <li id={`event-${seq}`} key={seq}>
          <time datetime={new Date(timestampMs).toISOString()} title={momentText(timestampMs, look.zone)} class="quiet">
            <a href={`#event-${seq}`}>{`#${seq}`}</a> {`+${((timestampMs - startMs) / 1000).toFixed(3)} s`}
          </time>
          <span>
            <strong>{type}</strong> {node ?? ""}
          </span>
          <code>{dataText(data, look.redact, isRevealed)}</code>
        </li>
      ))}
    </ol>
  );
}

/** Whole, without what is hidden: what can't be seen can't be looked for either, or its letters could be found one by one. */
function shownText(data: Json, keys: readonly string[], isRevealed: boolean): string {
  return JSON.stringify(redacted(data, { keys, isRevealed }));
}

function dataText(data: GraphEvent["data"], redact: readonly string[], isRevealed: boolean): string {
  if (data === undefined || data === null) return "";
  const text = shownText(data, redact, isRevealed);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function fits({ type, node, data }: GraphEvent, wanted: RunData["query"], textOf: (data: Json) => string): boolean {
  const { text } = wanted;
  if (wanted.type !== "" && type !== wanted.type) return false;
  if (text === "") return true;
  return `${type} ${node ?? ""} ${textOf(data ?? "")}`.toLowerCase().includes(text.toLowerCase());
}
