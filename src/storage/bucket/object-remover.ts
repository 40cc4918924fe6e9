/** Deletes objects after their rows. If the bucket does not answer then, the sweep deletes them later. */
import type { Log } from "../../platform/shared/log.ts";
import type { PrefixOwner } from "./prefix-owner.ts";

/** Never rejects. */
export type ObjectRemover = (remove: () => Promise<void>) => Promise<void>;

/** @param owner decides whether this database may delete objects */
export function objectRemover(owner: PrefixOwner, log: Log): ObjectRemover {
  return async (remove) => {
    try {
      if (await owner.allows()) await remove();
    } catch (err) {
      log.warn(
        { err },
        "Objects of deleted runs, artifacts or events could not be deleted. They are deleted within two days.",
      );
    }
  };
}
