/** Options of the engine. */
import type { Clock, Duration } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition, Worker } from "../definition/definition-types.ts";
import type { EventDefinition } from "../definition/event-types.ts";
import type { GraphLimits } from "../definition/value-limits.ts";
import type { ClusterPort } from "./cluster-port.ts";
import type { AttemptReport, OutboxRows, StartReport, StepReport } from "../machine/report-types.ts";
import type { WorkerToolOptions } from "../execution/attempt/worker-tools.ts";
import type { ScheduleDefinition } from "../schedules/schedule-types.ts";

export interface EngineOptions {
  store: Store;
  workers?: readonly Worker<never, unknown>[];
  graphs?: readonly GraphDefinition[];
  /** Graphs that start on a schedule. Stored schedules that are missing here are removed. Default: none. */
  schedules?: readonly ScheduleDefinition[];
  /**
   * Events that can be sent by name and that no graph names in `on` or `cancelOn`: their schemas validate the data. Default: none; an
   * event without a known schema is accepted with any data.
   */
  events?: readonly EventDefinition[];
  /**
   * Time to keep sent events, for waits that begin later and to recognize ids that were sent before. Default "24h".
   */
  eventRetention?: Duration;
  clock: Clock;
  /** Rows to write in the transaction of a run's transition. Default: none. */
  outboxRows?: OutboxRows;
  /**
   * Limit for concurrent attempts of all workers together. Ordered by priority, then by waiting time. Default: no limit beyond the
   * workers' own.
   */
  concurrency?: number;
  /** Addresses that `ctx.fetch` may reach, and its limits. Default: public addresses. */
  tools?: WorkerToolOptions;
  /** For jitter: 0 to below 1. Default Math.random. */
  random?: () => number;
  /** Log for errors that no caller receives. Default: none. */
  log?: Log;
  /** Time to keep finished runs. Default: forever. */
  retention?: Duration;
  /** Limits for the size of values. Default: see `GraphLimits`. */
  limits?: GraphLimits;
  /** Called with each started run, including forks. Must not throw. Default: nothing. */
  onStart?: (run: StartReport) => void;
  /** Called with each step, sleep and wait that has ended in this process, once that is committed. Must not throw. Default: nothing. */
  onStep?: (step: StepReport) => void;
  /** Called with the name of each ended run that is retried. Must not throw. Default: nothing. */
  onRetry?: (worker: string) => void;
  /** Called with the worker of each attempt that becomes ready. Must not throw. Default: nothing. */
  onReady?: (worker: string) => void;
  /** Origin of a run whose start names none. Called synchronously at the start. Default: the app's code. */
  origin?: () => Origin | undefined;
  /** The cluster, if several processes share the store. Default: this process has the store to itself. */
  cluster?: ClusterPort | undefined;
  /** Called with each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** Called after a queue was paused or resumed, and after a schedule changed or ran. Must not throw. Default: nothing. */
  onControls?: () => void;
}
