/** The slots of functions and computeds that the browser creates, for the parts `fn` and `prop`. */
import { valueAt } from "../runtime/core.ts";
import type { Slots } from "../runtime/types.ts";

/** The captured values. One with the index `~index` contains the function, so it is read when the function reads it. */
export const slotsFrom = (indices: readonly number[]): unknown[] & Slots => {
  const slots: unknown[] = [];
  indices.forEach((index, at) =>
    index < 0 ? Object.defineProperty(slots, at, { get: () => valueAt(~index) }) : (slots[at] = valueAt(index)),
  );
  return slots as unknown[] & Slots;
};
