/** One event as a row of the log: time, type, node and text. The server renders all rows, initial and later ones. */
import type { GraphEvent, Json } from "../../graph.ts";
import { durationText } from "../views/format.ts";
import { cut } from "./truncate.ts";

/** Maximum length of the text. The API has the complete event. */
const MOST_LETTERS = 400;

/** The row as HTML. */
export function eventHtml(event: GraphEvent): string {
  return String(<EventRow event={event} />);
}

/** The kinds that the log can filter by. */
export type EventKind = "graph" | "node" | "log" | "progress" | "custom";

const TONES: Readonly<Record<string, string>> = {
  "graph.done": "good",
  "node.done": "good",
  "graph.failed": "bad",
  "node.failed": "bad",
  "node.uncompensated": "bad",
  "node.retrying": "warn",
  "node.compensating": "warn",
  "node.waiting": "wait",
  "node.started": "live",
  "graph.started": "live",
  "graph.resumed": "live",
  "graph.paused": "held",
  "graph.pausing": "held",
  "graph.cancelling": "held",
};
const LEVEL_TONES: Readonly<Record<string, string>> = { error: "bad", warn: "warn", info: "idle", debug: "void" };

export function EventRow({ event }: { event: GraphEvent }) {
  const kind = kindOf(event);
  const at = new Date(event.timestampMs).toISOString();
  return (
    <li class="svc-event" data-seq={event.seq} data-kind={kind} data-tone={toneOf(event)}>
      <time datetime={at} title={at}>
        {at.slice(11, 23)}
      </time>
      <span class="svc-event-type">{kind === "log" ? String(fields(event)["level"] ?? "log") : event.type}</span>
      {event.node === undefined ? null : <span class="svc-event-node">{event.node}</span>}
      <span class="svc-event-text">{cut(eventText(event), MOST_LETTERS)}</span>
    </li>
  );
}

function kindOf({ type }: GraphEvent): EventKind {
  if (type === "summary" || type === "attributes") return "progress";
  if (type === "log" || type === "progress" || type === "custom") return type;
  return type.startsWith("graph.") ? "graph" : "node";
}

function toneOf(event: GraphEvent): string {
  if (event.type === "log") return LEVEL_TONES[String(fields(event)["level"])] ?? "idle";
  return TONES[event.type] ?? "idle";
}

function fields({ data }: GraphEvent): Readonly<Record<string, Json>> {
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}

/** The event's content as text; empty if the type says it all. */
function eventText(event: GraphEvent): string {
  const { message, value, note, text, error, name, data, by, attempt, due_ms: due } = fields(event);
  if (event.type === "log") return String(message ?? "");
  if (event.type === "progress")
    return `${Math.round(Number(value) * 100)} %${note === undefined ? "" : ` ${String(note)}`}`;
  if (event.type === "summary") return String(text ?? "");
  if (event.type === "attributes") return JSON.stringify(fields(event)["set"] ?? {});
  if (event.type === "custom")
    return `${String(name)}${data === undefined || data === null ? "" : ` ${JSON.stringify(data)}`}`;
  const parts = [
    ...(typeof attempt === "number" && attempt > 1 ? [`try ${attempt}`] : []),
    ...(typeof due === "number" && due > event.timestampMs ? [`in ${durationText(due - event.timestampMs)}`] : []),
    ...(errorText(error) ?? []),
    ...(by === undefined || by === null ? [] : [`by ${String(by)}`]),
    ...(note === undefined || note === null ? [] : [`“${String(note)}”`]),
  ];
  return parts.join(" · ");
}

function errorText(error: Json | undefined): string[] | undefined {
  if (error === null || typeof error !== "object" || Array.isArray(error)) return undefined;
  return typeof error["message"] === "string" ? [error["message"]] : undefined;
}
