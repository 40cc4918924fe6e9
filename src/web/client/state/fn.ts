/** `fn.js`: functions that a component was given as props, made by the chunk of whoever gave them. For pages that have any. */
import { chunkNamed, kinds, valueAt } from "../runtime/core.ts";
import type { Slots } from "../runtime/types.ts";

kinds[3] = ([chunk, symbol, ...indices]: [chunk: string, symbol: string, ...slots: number[]]) =>
  chunkNamed(chunk)[symbol]!(indices.map(valueAt) as Slots);
