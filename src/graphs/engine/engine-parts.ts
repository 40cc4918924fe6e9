/** Composes the parts of an engine from the lowest up: each part gets the parts that it calls, and no way back. */
import { silentLog } from "../../platform/shared/log.ts";
import { ActiveRuns } from "./runs/active-runs.ts";
import { Busy } from "./runs/idle-tracker.ts";
import { Admission } from "./admission/admission.ts";
import { Children } from "./child-runs.ts";
import { checkCount } from "../definition/definition-checks.ts";
import { readLimits, type ValueLimits } from "../definition/value-limits.ts";
import type { EngineOptions } from "./engine-options.ts";
import { EngineState } from "./engine-state.ts";
import { GroupedStarts } from "./events/grouped-starts.ts";
import { knownEvents } from "./events/known-events.ts";
import { EventRouter } from "./events/route-event.ts";
import { ThrottledStarts } from "./events/throttled-starts.ts";
import { SentEvents } from "./events/sent-events.ts";
import { KeepAlive } from "./runs/keep-alive.ts";
import { RestingRuns } from "./runs/resting-runs.ts";
import { NewGraphs } from "./runs/start-run.ts";
import { WorkerQueues } from "./queues.ts";
import { Registry } from "./registry.ts";
import { keptBy, readKept, Retention, type KeptTimes } from "./retention.ts";
import { Dispatcher } from "../execution/dispatcher.ts";
import { Isolation } from "../execution/remote/isolation.ts";
import { RemoteRunner } from "../execution/remote/remote-runner.ts";
import { RunTable } from "../execution/run-table.ts";
import { Runner } from "../execution/runner.ts";
import { Starts } from "../execution/start-throttle.ts";
import { Compensator } from "../execution/compensator.ts";
import { WorkerBinding } from "../execution/worker-binding.ts";
import { WorkerTools } from "../execution/attempt/worker-tools.ts";
import { Scheduler } from "../schedules/schedules.ts";
import { Steps } from "./runs/run-controls.ts";
import { Unfit } from "./runs/unknown-definition.ts";
import { Views } from "./runs/run-views.ts";

export type EngineParts = ReturnType<typeof execution> &
  ReturnType<typeof callers> & {
    limits: ValueLimits;
    kept: KeptTimes;
    retention: Retention | undefined;
    keepAlive: KeepAlive;
  };

/** @throws SvcError `SVC_DEFINITION` if two graphs or workers share a name. */
export function composeEngine(options: EngineOptions): EngineParts {
  const limits = readLimits(options.limits);
  const running = execution(options, limits);
  const { clock, log = silentLog, store } = options;
  const kept = readKept(options.retention, [...running.registry.all().values()].flat());
  const keptMs = keptBy(kept);
  const retention = keptMs && new Retention({ graphs: store.graphs, clock, log, keptMs });
  return { ...running, ...callers(options, limits, running), limits, kept, retention, keepAlive: new KeepAlive() };
}

/** The parts that execute nodes. */
function execution(options: EngineOptions, values: ValueLimits) {
  const { store, clock, log = silentLog, cluster, random = Math.random, onAttempt, onReady } = options;
  const { outboxRows = () => [] } = options;
  const { graphs } = store;
  const remoteNodes = cluster?.remoteNodes;
  const registry = new Registry(options.workers ?? [], options.graphs ?? []);
  const isolation = new Isolation(registry, options.tools ?? {});
  const tools = new WorkerTools(options.tools ?? {}, clock);
  const children = new Children({ graphs, clock, log });
  const binding = new WorkerBinding({ registry, isolation, children, remoteNodes });
  const [state, busy, runs, starts] = [
    new EngineState(cluster?.isRunner !== false),
    new Busy(),
    new RunTable(),
    new Starts(clock),
  ];
  const concurrency = checkCount("The engine", "concurrency", options.concurrency) ?? Infinity;
  const permits = cluster?.permits;
  const dispatcher = new Dispatcher({ clock, concurrency, state, busy, permits, remoteNodes, onReady });
  const attempts = { clock, random, state, tools, values };
  const runner = new Runner({
    ...attempts,
    onAttempt,
    runs,
    binding,
    starts,
    artifacts: graphs,
    sentEvents: store.sentEvents,
  });
  const compensator = new Compensator({ ...attempts, dispatcher });
  const { progressPerSecond } = values;
  const shared = { registry, clock, log, busy, state, isShared: cluster !== undefined };
  const admission = new Admission({ ...shared, rows: store.admission });
  const activeRuns = new ActiveRuns({
    graphs,
    cluster,
    clock,
    log,
    state,
    busy,
    runs,
    registry,
    children,
    admission,
    dispatcher,
    runner,
    compensator,
    outboxRows,
    progressPerSecond,
    onStep: options.onStep,
    rest: (id, untilMs) => restingRuns.rest(id, untilMs),
  });
  const restingRuns: RestingRuns = new RestingRuns({ activeRuns, registry, clock, log, state, busy });
  const remoteRunner = new RemoteRunner({ registry, isolation, tools, dispatcher, starts });
  const parts = { registry, isolation, tools, children, admission, state, busy, dispatcher };
  return { ...parts, activeRuns, restingRuns, remoteRunner };
}

/** The parts that callers use: they read the store and send commands to runs. */
function callers(options: EngineOptions, limits: ValueLimits, running: ReturnType<typeof execution>) {
  const { store, clock, log = silentLog, cluster, onStart, onRetry, origin, outboxRows = () => [] } = options;
  const { graphs } = store;
  const { registry, children, admission, activeRuns, dispatcher, busy, state } = running;
  const { inputBytes } = limits;
  const views = new Views({ graphs, registry, clock });
  const throttledStarts = new ThrottledStarts({ rows: store.startGroups, clock });
  const starting = { graphs, registry, clock, activeRuns, throttledStarts, views, inputBytes, onStart, origin };
  const newGraphs = new NewGraphs(starting);
  const unfit = new Unfit({ graphs, registry, clock, outboxRows, inputBytes });
  const steps = new Steps({ graphs, activeRuns, unfit, children, admission, views, limits, cluster, onRetry });
  admission.attach({
    admitted: (graphId, nowMs) => activeRuns.admitted(graphId, nowMs),
    maybeAdmitted: (graphId) => activeRuns.maybeAdmitted(graphId),
    cancel: (graphId, message) => steps.cancelIfActive(graphId, message),
  });
  const onChange = (): void => {
    cluster?.controlsChanged();
    options.onControls?.();
  };
  const queues = new WorkerQueues({ rows: store.queues, dispatcher, clock, workers: registry.workers(), onChange });
  const { schedules: rows, audit } = store;
  const schedule = new Scheduler({ graphs, rows, audit, clock, log, registry, newGraphs, steps, busy, onChange });
  const { events, eventRetention } = options;
  const starts = { registry, newGraphs, clock, log, busy, state, inputBytes };
  const groupedStarts = new GroupedStarts({ ...starts, rows: store.startGroups });
  const router = new EventRouter({ graphs, registry, newGraphs, groupedStarts, steps, log });
  const sentEvents = new SentEvents({
    rows: store.sentEvents,
    router,
    groupedStarts,
    newGraphs,
    known: knownEvents(registry, events ?? []),
    clock,
    log,
    busy,
    state,
    inputBytes,
    retention: eventRetention,
  });
  return { views, newGraphs, steps, queues, schedule, sentEvents };
}
