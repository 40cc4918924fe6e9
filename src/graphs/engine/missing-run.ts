/**
 * What can be told of a graph that is not there, though nothing is kept of it: its id holds when it was made, and how long graphs are
 * kept is known as it is set now. Which name it was started by is not.
 */
import { graphIdTime } from "../../platform/shared/id-time.ts";
import type { KeptTimes } from "./retention.ts";

export interface Absence {
  /** When it was made, in Unix milliseconds; undefined: no graph has such an id. */
  readonly createdMs: number | undefined;
  readonly kept: KeptTimes;
  /** When retention could take it at the earliest; undefined: never. */
  readonly takenFromMs: number | undefined;
}

export function absenceOf(graphId: string, kept: KeptTimes): Absence {
  const createdMs = graphIdTime(graphId);
  const shortestMs = Math.min(kept.defaultMs ?? Infinity, ...kept.byName.values());
  const isTaken = createdMs !== undefined && shortestMs < Infinity;
  return { createdMs, kept, takenFromMs: isTaken ? createdMs + shortestMs : undefined };
}
