/** Deletes abandoned objects in the bucket of payloads once a day. */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";

/** The first sweep: a process that is restarted again and again does not read the bucket each time. */
const FIRST_MS = 60 * 60 * 1000;
const AGAIN_MS = 24 * FIRST_MS;

/** Does nothing for a store without a bucket. */
export function startObjectSweep(
  store: Pick<Store, "sweepObjects">,
  clock: Clock,
  log: Log,
  closing: AbortSignal,
): void {
  const { sweepObjects } = store;
  if (!sweepObjects) return;
  const sweep = async (): Promise<void> => {
    try {
      const count = await sweepObjects();
      if (count > 0) log.info({ count }, "Deleted objects of abandoned or deleted artifacts");
    } catch (error) {
      log.error({ err: error }, "Abandoned objects could not be deleted. It is tried again in a day.");
    }
  };
  const later = (delayMs: number): void => {
    if (closing.aborted) return;
    const timer = clock.schedule(delayMs, () => {
      closing.removeEventListener("abort", cancel);
      void sweep().then(() => later(AGAIN_MS));
    });
    const cancel = (): void => timer.cancel();
    closing.addEventListener("abort", cancel, { once: true });
  };
  later(FIRST_MS);
}
