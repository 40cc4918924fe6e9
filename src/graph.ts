/** Public face `svc/graph`: declaring workers and graphs, and running them without the rest of svc. */
export { createEngine, type EngineOptions } from "./graph/engine.ts";
export { graph, worker } from "./graph/definition/definition.ts";
export type { GraphBuilder, MapOptions, NodeOptions } from "./graph/definition/builder-types.ts";
export { asWorker } from "./graph/definition/graph-worker.ts";
export { FinalError } from "./graph/definition/final-error.ts";
export { CallError, WaitTimeoutError } from "./graph/running/call-error.ts";
export type { RetryPolicy } from "./graph/definition/retry.ts";
export type { ToolCalls, WorkerToolOptions } from "./graph/running/worker-tools.ts";
export type { ArtifactData } from "./graph/running/artifact.ts";
export type {
  ArtifactRef,
  CallOptions,
  DurableCalls,
  MapCallOptions,
  Settled,
  SleepOptions,
  StepInfo,
  StepOptions,
  WaitOptions,
} from "./graph/definition/context-types.ts";
export { openStore } from "./store/open.ts";
export type { GraphLimits, ValueLimits } from "./graph/definition/value-limits.ts";
export type { GraphDefinition, GraphOptions, NodeRef, Worker } from "./graph/definition/definition-types.ts";
export type { Engine } from "./graph/engine-types.ts";
export type { Absence } from "./graph/absence.ts";
export type { KeptTimes } from "./graph/retention.ts";
export type { Queues, QueueView } from "./graph/queue-types.ts";
export type { AttemptReport, LaneReport, LifecycleEvent, OutboxRows } from "./graph/machine/report-types.ts";
export type { ScheduleDefinition, Schedules, ScheduleView } from "./graph/schedules/schedule-types.ts";
export type {
  BulkAction,
  BulkOptions,
  BulkReport,
  ForkOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  StartOptions,
  Steering,
} from "./graph/definition/steering-types.ts";
export type { Artifact, ArtifactContent, EventsQuery, NodeDetail, Snapshot } from "./graph/machine/view-types.ts";
export type {
  CheckedOptions,
  IsolateOptions,
  KeyedConcurrency,
  Rate,
  UndoContext,
  WorkerContext,
  WorkerOptions,
  WorkerRun,
} from "./graph/definition/worker-types.ts";
export type { Store } from "./store/contract.ts";
export type { Failure, GraphEvent, GraphEventType, GraphPhase, NodeStatus, Origin } from "./store/graph-rows.ts";
export type { Durations, GraphQuery, Page, PurgeQuery, TagCounts } from "./store/queries.ts";
export type { TransactionHandle, TransactionStatement, TransactionValue } from "./store/transaction.ts";
export { SimulatedClock, systemClock, type Clock, type Duration } from "./shared/clock.ts";
export type { Log, LogFields } from "./shared/log.ts";
export type { Json } from "./shared/json.ts";
