/** Implements the cluster's view of the engine with the engine's parts. */
import type { Admission } from "./admission/admission.ts";
import type { ActiveRuns } from "./runs/active-runs.ts";
import type { Children } from "./child-runs.ts";
import type { LeasedRun } from "./cluster-port.ts";
import type { WorkerQueues } from "./queues.ts";
import type { SentEvents } from "./events/sent-events.ts";
import type { RemoteRunner } from "../execution/remote/remote-runner.ts";
import type { Scheduler } from "../schedules/schedules.ts";
import type { Steps } from "./runs/run-controls.ts";

export interface HeldParts {
  activeRuns: ActiveRuns;
  children: Children;
  remoteRunner: RemoteRunner;
  steps: Steps;
  queues: WorkerQueues;
  schedule: Scheduler;
  sentEvents: SentEvents;
  admission: Admission;
}

export function heldBy({
  activeRuns,
  children,
  remoteRunner,
  steps,
  queues,
  schedule,
  sentEvents,
  admission,
}: HeldParts): LeasedRun {
  return {
    holds: (graphId) => activeRuns.get(graphId) !== undefined,
    isLent: (graphId) => activeRuns.temporaryLeases.has(graphId),
    isAtRest: (graphId) => activeRuns.isAtRest(graphId),
    hold: (graphId, lease, hasCrashed, beside) => activeRuns.hold(graphId, lease, hasCrashed, beside),
    readControls: async () => {
      await queues.readAgain();
      await schedule.lookAgain();
      await sentEvents.lookAgain();
      await admission.lookAgain();
    },
    lookAfterChildren: () => children.lookAgain(activeRuns.all()),
    dropAll: () => activeRuns.dropAll(),
    perform: (order, channel) => remoteRunner.perform(order, channel),
    execute: (graphId, command) => steps.execute(graphId, command),
  };
}
