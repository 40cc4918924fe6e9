/** What the other processes' doings ask of this engine, by the part of it that does it. */
import type { Children } from "./child-runs.ts";
import type { Held } from "./cluster-port.ts";
import type { WorkerQueues } from "./queues.ts";
import type { Registry } from "./registry.ts";
import type { Performer } from "../execution/remote/remote-runner.ts";
import type { Scheduler } from "../schedules/schedules.ts";
import type { Steps } from "./run-controls.ts";
import type { UnderWay } from "./active-runs.ts";

export interface HeldParts {
  registry: Registry;
  underWay: UnderWay;
  children: Children;
  performer: Performer;
  steps: Steps;
  queues: WorkerQueues;
  schedule: Scheduler;
}

export function heldBy({ registry, underWay, children, performer, steps, queues, schedule }: HeldParts): Held {
  const { dispatcher } = underWay;
  return {
    holds: (graphId) => underWay.get(graphId) !== undefined,
    isLent: (graphId) => underWay.loans.has(graphId),
    isAtRest: (graphId) => underWay.isAtRest(graphId),
    hold: (graphId, lease, hasCrashed, beside) => underWay.hold(graphId, lease, hasCrashed, beside),
    readControls: async () => {
      await queues.readAgain();
      await schedule.lookAgain();
    },
    lookAfterChildren: () => children.lookAgain(underWay.all()),
    dropAll: () => underWay.dropAll(),
    perform: (order, channel, place) => performer.perform(order, channel, place),
    lend: (name) => {
      const worker = registry.worker(name);
      return worker && dispatcher.lend(worker);
    },
    isShort: (worker) => dispatcher.isShort(worker),
    lent: (worker, hand) => dispatcher.lent(worker, hand),
    fulfil: (graphId, wish) => steps.fulfil(graphId, wish),
  };
}
