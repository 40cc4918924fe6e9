/** The progress of a bulk action, or its result: a bar, and why some runs did not allow it. */
import type { DeferredState, DeferredStep } from "../../views/bulk/deferred.ts";
import type { BulkProgress } from "../../views/bulk/bulk-progress.ts";
import { countText } from "../../views/format.ts";

export function DeferredProgress({ deferred: { state, count, isMore } }: { deferred: DeferredStep }) {
  const taken = takenOf(state);
  if (!taken) return null;
  return (
    <>
      {state.kind === "failed" ? <p>{takenText(taken)}</p> : null}
      {state.kind === "due" ? (
        <>
          <p>{soFarText(taken, count, isMore)}</p>
          <progress max={Math.max(1, count)} value={Math.min(taken.count, count)} aria-label="Progress"></progress>
        </>
      ) : null}
      {taken.reasons.size === 0 ? null : (
        <ul class="quiet" aria-label="Why some did not allow it">
          {[...taken.reasons].map(([reason, number]) => (
            <li key={reason}>{`${countText(number)}: ${reason}`}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function takenOf(state: DeferredState): BulkProgress | undefined {
  if (state.kind === "due") return state.heard?.taken;
  return "taken" in state ? state.taken : undefined;
}

/** `2 of 3 so far: 1 changed, 1 did not allow it.` */
function soFarText({ count: done, changed, refused }: BulkProgress, count: number, isMore: boolean): string {
  const of = done > count ? "" : ` of ${countText(count)}${isMore ? " or more" : ""}`;
  const left = refused === 0 ? "" : `, ${countText(refused)} did not allow it`;
  return `${countText(done)}${of} so far: ${countText(changed)} changed${left}.`;
}

/** `3 runs changed. 2 did not allow it.` */
export function takenText({ changed, refused }: BulkProgress): string {
  return `${changed === 0 ? "No run" : runsText(changed)} changed.${refused === 0 ? "" : ` ${countText(refused)} did not allow it.`}`;
}

export function runsText(count: number): string {
  return `${countText(count)} run${count === 1 ? "" : "s"}`;
}
