/** `fn.js`: function props. The chunk of the component that passed the function creates it. For pages that have any. */
import { chunkNamed, kinds } from "../runtime/core.ts";
import { slotsFrom } from "./slots.ts";

// The part `prop` has a version of its own, whichever of the two loads first.
kinds[3] ??= ([chunk, symbol, ...indices]: [chunk: string, symbol: string, ...slots: number[]]) =>
  chunkNamed(chunk)[symbol]!(slotsFrom(indices));
