/** Facts about a run that is not stored: its creation time, from its id, and the current retention. The name of its graph is unknown. */
import { graphIdTime } from "../../../platform/shared/id-time.ts";
import type { KeptTimes } from "../retention.ts";

export interface Absence {
  /** Creation time, Unix milliseconds; undefined: the id is invalid. */
  readonly createdMs: number | undefined;
  readonly kept: KeptTimes;
  /** Earliest time at which retention can have removed it; undefined: never. */
  readonly takenFromMs: number | undefined;
}

export function absenceOf(graphId: string, kept: KeptTimes): Absence {
  const createdMs = graphIdTime(graphId);
  const shortestMs = Math.min(kept.defaultMs ?? Infinity, ...kept.byName.values());
  const isTaken = createdMs !== undefined && shortestMs < Infinity;
  return { createdMs, kept, takenFromMs: isTaken ? createdMs + shortestMs : undefined };
}
