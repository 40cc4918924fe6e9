/** What an attempt is made of: its node, its worker, its limits, and whom it tells. */
import type { Clock, Duration } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Abort } from "./abort.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { DurableOptions } from "./durable.ts";
import type { ValueLimits } from "../../definition/value-limits.ts";
import type { WorkerTools } from "./worker-tools.ts";

/** Where an attempt tells of itself; what comes after its end is not taken. */
export interface AttemptSink {
  event(type: "log" | "custom", data: Json): void;
  progress(value: number, note: string | undefined): void;
  summary(text: string): void;
}

export interface AttemptOptions {
  /** The row; it goes on with its graph, and what the attempt shows of it is as it was when that began. */
  node: NodeRow;
  worker: Worker<never, unknown>;
  /** Longest it may run; undefined: for ever. */
  timeout: Duration | undefined;
  /** Longest it may tell nothing; undefined: for ever. */
  heartbeat: Duration | undefined;
  /** It waits for another process to run it. */
  isQueued?: boolean;
  input: unknown;
  deps: Record<string, Json>;
  clock: Clock;
  /** Aborted by cancel and shutdown. */
  controller: Abort;
  sink: AttemptSink;
  /** What durable calls need; undefined where the context offers none. */
  durable: DurableOptions | undefined;
  tools: WorkerTools;
  values: ValueLimits;
}
