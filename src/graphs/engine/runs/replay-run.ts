/**
 * A run that was suspended and is loaded for a command: the command has to find its waits, because their schemas are in the workers' code,
 * and because a waiting node is cancelled and paused in another way than a ready one.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { ActiveRun } from "../../execution/active-run.ts";

/** A command does not wait longer for a worker that does more than to wait again. */
const LONGEST_MS = 10_000;

/** Sets `run.replay`. @param nodeIds nodes that were suspended */
export function awaitReplay(run: ActiveRun, nodeIds: readonly string[], clock: Clock): void {
  run.replay = new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      run.onHandled = undefined;
      run.replay = undefined;
      resolve();
    };
    const timer = clock.schedule(LONGEST_MS, end);
    run.onHandled = () => {
      if (run.isLost || run.machine.row.phase !== "running" || nodeIds.every((id) => isOver(run, id))) end();
    };
  });
}

/** Whether the node waits again, has ended, or has no slot: a command does not wait for other attempts. */
function isOver({ machine }: ActiveRun, nodeId: string): boolean {
  const status = machine.node(nodeId)?.status;
  return status === "waiting" ? machine.inner.isWaitingAgain(nodeId) : status !== "running";
}
