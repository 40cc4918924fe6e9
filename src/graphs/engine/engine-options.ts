/** What an engine is made of and told of. */
import type { Clock, Duration } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition, Worker } from "../definition/definition-types.ts";
import type { GraphLimits } from "../definition/value-limits.ts";
import type { Fleet } from "./cluster-port.ts";
import type { AttemptReport, OutboxRows } from "../machine/report-types.ts";
import type { WorkerToolOptions } from "../execution/attempt/worker-tools.ts";
import type { ScheduleDefinition } from "../schedules/schedule-types.ts";

export interface EngineOptions {
  store: Store;
  workers?: readonly Worker<never, unknown>[];
  graphs?: readonly GraphDefinition[];
  /** Graphs that are started by the clock. Those of an earlier start that are not among them are gone. Default none. */
  schedules?: readonly ScheduleDefinition[];
  clock: Clock;
  /** Rows to write in the transaction of a graph's transition. Default none. */
  outboxRows?: OutboxRows;
  /** Attempts at once, of all workers together; by priority, then by who has waited longest. Default: no limit but theirs. */
  concurrency?: number;
  /** Addresses that `ctx.fetch` may reach, and its limits. Default: public addresses. */
  tools?: WorkerToolOptions;
  /** For jitter: 0 to below 1. Default Math.random. */
  random?: () => number;
  /** Told of trouble that no caller sees. Default: nothing. */
  log?: Log;
  /** How long graphs are kept once they have finished. Default: for ever. */
  retention?: Duration;
  /** How large values may be. Default: as `GraphLimits` says. */
  limits?: GraphLimits;
  /** Told by which name a graph was started, forks included. Must not throw. Default: nothing. */
  onStart?: (worker: string) => void;
  /** Told by which name a graph was started that had ended and goes on again. Must not throw. Default: nothing. */
  onRetry?: (worker: string) => void;
  /** Told of the worker of each node that becomes ready, for each attempt. Must not throw. Default: nothing. */
  onReady?: (worker: string) => void;
  /** What a graph is being started by, where that does not say: asked in the turn of its start. Default: the app's code. */
  origin?: () => Origin | undefined;
  /** Where several processes share the store. Default: this one has it to itself. */
  fleet?: Fleet | undefined;
  /** Told of each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** Told after a queue was paused or resumed, and after a schedule has changed or run. Must not throw. Default: nothing. */
  onControls?: () => void;
}
