/** Options of an attempt: its node, its worker, its limits and its sink. */
import type { Clock, Duration } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Abort } from "./abort.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { DurableOptions } from "./durable.ts";
import type { ValueLimits } from "../../definition/value-limits.ts";
import type { WorkerTools } from "./worker-tools.ts";

/** Receives the reports of an attempt, and ignores them after its end. */
export interface AttemptSink {
  event(type: "log" | "custom", data: Json): void;
  progress(value: number, note: string | undefined): void;
  summary(text: string): void;
}

export interface AttemptOptions {
  /** The row, which changes with its run. The attempt shows its values from the start. */
  node: NodeRow;
  worker: Worker<never, unknown>;
  /** Timeout; undefined: none. */
  timeout: Duration | undefined;
  /** Longest time without a heartbeat; undefined: none. */
  heartbeat: Duration | undefined;
  /** Waits for another process to run it. */
  isQueued?: boolean;
  input: unknown;
  deps: Record<string, Json>;
  clock: Clock;
  /** Aborted by cancel and shutdown. */
  controller: Abort;
  sink: AttemptSink;
  /** Dependencies of durable calls; undefined if the context has none. */
  durable: DurableOptions | undefined;
  tools: WorkerTools;
  values: ValueLimits;
}
