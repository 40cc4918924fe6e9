/** What the other processes' doings ask of this engine, by the part of it that does it. */
import type { Children } from "./children.ts";
import type { Held } from "./fleet.ts";
import type { WorkerQueues } from "./queues.ts";
import type { Performer } from "./running/performer.ts";
import type { Scheduler } from "./schedules/schedules.ts";
import type { Steps } from "./steps.ts";
import type { UnderWay } from "./under-way.ts";

export interface HeldParts {
  underWay: UnderWay;
  children: Children;
  performer: Performer;
  steps: Steps;
  queues: WorkerQueues;
  schedule: Scheduler;
}

export function heldBy({ underWay, children, performer, steps, queues, schedule }: HeldParts): Held {
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
    perform: (order, channel) => performer.perform(order, channel),
    fulfil: (graphId, wish) => steps.fulfil(graphId, wish),
  };
}
