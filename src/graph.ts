/** `svckit/graph`: declare workers and graphs, and run them without the rest of svc. */
export { createEngine, type EngineOptions } from "./graphs/engine/engine.ts";
export { graph, worker } from "./graphs/definition/definition.ts";
export { event } from "./graphs/definition/event.ts";
export type { CancelOn, EventDefinition, EventMatch, SentEvent } from "./graphs/definition/event-types.ts";
export type { BatchEvents, Debounce, RateLimit, StartRules, Throttle } from "./graphs/definition/start-rule-types.ts";
export type { Fairness, GraphConcurrency, OnLimit, Singleton } from "./graphs/definition/flow-control-types.ts";
export type { SendOptions, SentEventsQuery, SentEventView } from "./graphs/engine/events/event-types.ts";
export type { GraphBuilder, MapOptions, NodeOptions } from "./graphs/definition/builder-types.ts";
export { defineSignal } from "./graphs/definition/signal-definition.ts";
export { defineUpdate } from "./graphs/definition/update-definition.ts";
export type { SignalDefinition, UpdateDefinition } from "./graphs/definition/signal-types.ts";
export type { Definitions, Startable } from "./graphs/definition/registered-names.ts";
export type { RunHandle, StartedRun } from "./graphs/engine/runs/run-handle-types.ts";
export { asWorker } from "./graphs/definition/graph-worker.ts";
export { FinalError } from "./graphs/definition/final-error.ts";
export { CallError, WaitTimeoutError } from "./graphs/execution/attempt/call-error.ts";
export type { RetryPolicy } from "./graphs/definition/retry.ts";
export type { ToolCalls, WorkerToolOptions } from "./graphs/execution/attempt/worker-tools.ts";
export type { ArtifactData } from "./graphs/execution/attempt/artifact.ts";
export type {
  ArtifactRef,
  CallOptions,
  DurableCalls,
  EventWaitOptions,
  HandleUpdateOptions,
  MapCallOptions,
  Settled,
  SleepOptions,
  StepInfo,
  StepOptions,
  UpdateOutcome,
  UpdateRequest,
  WaitOptions,
} from "./graphs/definition/context-types.ts";
export { openStore } from "./storage/open-store.ts";
export type { GraphLimits, ValueLimits } from "./graphs/definition/value-limits.ts";
export type {
  ErrorBranchRef,
  GraphDefinition,
  GraphOptions,
  NodeRef,
  Worker,
} from "./graphs/definition/definition-types.ts";
export type { Engine } from "./graphs/engine/engine-types.ts";
export type { Absence } from "./graphs/engine/runs/missing-run.ts";
export type { KeptTimes } from "./graphs/engine/retention.ts";
export type { Queues, QueueView } from "./graphs/engine/queue-types.ts";
export type {
  AttemptReport,
  QueueReport,
  LifecycleEvent,
  OutboxRows,
  StartReport,
  StepReport,
} from "./graphs/machine/report-types.ts";
export type {
  BackfillPeriod,
  BackfillReport,
  ScheduleDefinition,
  Schedules,
  ScheduleView,
} from "./graphs/schedules/schedule-types.ts";
export type {
  BulkAction,
  BulkOptions,
  BulkReport,
  ForkOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  SignalWithStartOptions,
  UpdateOptions,
  StartOptions,
  AuditContext,
} from "./graphs/definition/audit-types.ts";
export type { Artifact, ArtifactContent, EventsQuery, NodeDetail, Snapshot } from "./graphs/machine/view-types.ts";
export type {
  CheckedOptions,
  IsolateOptions,
  KeyedConcurrency,
  Rate,
  UndoContext,
  WorkerContext,
  WorkerOptions,
  WorkerRun,
} from "./graphs/definition/worker-types.ts";
export type { Store } from "./storage/contract/contract.ts";
export type {
  Failure,
  GraphEvent,
  GraphEventType,
  GraphPhase,
  NodeStatus,
  Origin,
} from "./storage/contract/graph-rows.ts";
export type { AttributeChanges } from "./graphs/definition/run-attributes.ts";
export type { AttributeFilter, Attributes, AttributeValue, NumberRange } from "./storage/contract/attributes.ts";
export type { Durations, GraphQuery, Page, PurgeQuery, TagCounts } from "./storage/contract/queries.ts";
export type { TransactionHandle, TransactionStatement, TransactionValue } from "./storage/contract/transaction.ts";
export { SimulatedClock, systemClock, type Clock, type Duration } from "./platform/shared/clock.ts";
export type { Log, LogFields } from "./platform/shared/log.ts";
export type { Json } from "./platform/shared/json.ts";
