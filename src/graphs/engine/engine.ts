/**
 * The engine's public interface: starts runs, reads them, sends commands to them. active-runs.ts executes runs; graphs/machine/decide.ts
 * decides their changes. A write is acknowledged only after the durable commit. One engine owns its store.
 */
import { bound } from "../../platform/shared/collections/bound.ts";
import { absenceOf } from "./runs/missing-run.ts";
import { bulk } from "./bulk-commands.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { SignalOptions, UpdateOptions } from "../definition/audit-types.ts";
import { checkedSignal } from "../definition/signal-definition.ts";
import type { SignalName } from "../definition/signal-types.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import type { EngineOptions } from "./engine-options.ts";
import { composeEngine } from "./engine-parts.ts";
import { startsOf } from "./engine-starts.ts";
import type { Engine } from "./engine-types.ts";
import { heldBy } from "./engine-port.ts";
import { purgeAll } from "./retention.ts";
import { resultOf } from "./runs/run-result.ts";
import { sendUpdate, type SentUpdate } from "./runs/send-update.ts";
import { subscribe } from "./runs/subscription.ts";

export type { EngineOptions } from "./engine-options.ts";

/**
 * @throws SvcError `SVC_DEFINITION` if two graphs or workers share a name.
 * @example
 * const store = await openStore("memory:");
 * const engine = createEngine({ store, workers: [charge], clock: systemClock });
 * const run = await engine.start(charge, { cents: 500 });
 * const result = await run.result();
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, cluster } = options;
  const { graphs } = store;
  const parts = composeEngine(options);
  const {
    activeRuns,
    admission,
    children,
    dispatcher,
    newGraphs,
    remoteRunner,
    queues,
    schedule,
    sentEvents,
    steps,
    views,
    limits,
    kept,
  } = parts;
  const engine: Engine = {
    ...startsOf(newGraphs, () => engine),
    ...bound(newGraphs, ["fork"]),
    ...bound(views, ["snapshot", "node", "nodes", "pastNodes", "artifacts", "artifact", "events", "list"]),
    ...bound(views, ["waiting", "durations", "tagCounts"]),
    ...bound(steps, ["pause", "resume", "cancel", "terminate", "retry"]),
    ...bound(sentEvents, ["send", "sentEvents"]),
    ...bound(new EngineLifecycle(options, parts), ["recover", "idle", "close"]),
    ...bound(dispatcher, ["queueReports"]),
    schedule,
    queues,
    limits,
    absence: async (graphId) => absenceOf(graphId, kept),
    signal: async (graphId: string, signal: SignalName, value?: unknown, sent?: SignalOptions) =>
      steps.signal(graphId, await checkedSignal(signal, value), value as Json, sent),
    update: async (graphId: string, update: SentUpdate["update"], value: unknown, asked: UpdateOptions = {}) =>
      (await sendUpdate(
        { graphs, runs: activeRuns, steps, clock, keepAlive: parts.keepAlive },
        { graphId, update, value: value as Json, options: asked },
      )) as never,
    bulk: (action, given) => bulk({ store, clock, steps }, action, given),
    purge: (query) => purgeAll(graphs, query),
    result: (graphId, { signal } = {}) =>
      resultOf({ graphs, runs: activeRuns, keepAlive: parts.keepAlive }, graphId, signal),
    subscribe: (graphId, afterSeq, signal) => subscribe(graphs, graphId, afterSeq, signal),
  };
  children.attach(engine);
  cluster?.attach(heldBy({ activeRuns, children, remoteRunner, steps, queues, schedule, sentEvents, admission }));
  return engine;
}
