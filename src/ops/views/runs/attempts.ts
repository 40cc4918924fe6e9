/** The attempts of a node and their outcomes, derived from its events. Pure. */
import type { GraphEvent, Json } from "../../../graph.ts";

export interface Attempt {
  number: number;
  startedMs: number;
  endedMs: number | undefined;
  outcome: "running" | "done" | "failed" | "waiting" | "aborted";
  message: string | undefined;
  /** When the next attempt is due, or was. */
  againMs: number | undefined;
}

const OUTCOMES: Readonly<Record<string, Attempt["outcome"]>> = {
  "node.done": "done",
  "node.failed": "failed",
  "node.retrying": "failed",
  "node.waiting": "waiting",
  "node.cancelled": "aborted",
  "node.ready": "aborted",
  // A running attempt ends with its graph, without an event of its own.
  "graph.done": "aborted",
  "graph.failed": "aborted",
};

export function attemptsOf(events: readonly GraphEvent[], node: string): Attempt[] {
  const attempts: Attempt[] = [];
  const own = events.filter((event) => event.node === node || event.node === undefined);
  for (const { node: of, type, timestampMs, data } of own) {
    const last = attempts.at(-1);
    if (type === "node.started") {
      const number = numberIn(data, "attempt") ?? (last?.number ?? 0) + 1;
      attempts.push({
        number,
        startedMs: timestampMs,
        endedMs: undefined,
        outcome: "running",
        message: undefined,
        againMs: undefined,
      });
    }
    const outcome = OUTCOMES[type];
    if (!last || last.endedMs !== undefined || outcome === undefined) continue;
    Object.assign(last, {
      endedMs: timestampMs,
      outcome,
      message: of === undefined ? undefined : textIn(data, "message"),
      againMs: numberIn(data, "due_ms"),
    });
  }
  return attempts;
}

function numberIn(data: Json | undefined, key: string): number | undefined {
  const found = fieldOf(data, key);
  return typeof found === "number" ? found : undefined;
}

function textIn(data: Json | undefined, key: string): string | undefined {
  const found = fieldOf(data, key);
  return typeof found === "string" ? found : undefined;
}

function fieldOf(data: Json | undefined, key: string): Json | undefined {
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data[key] : undefined;
}
