/**
 * Releases large bodies one at a time, with a turn of the event loop between them. The receiver parses its body synchronously, so two
 * hundred bodies that arrive together would otherwise block the loop for their total parse time.
 */
import { isPromise } from "../response/close-iterator.ts";

/** Smaller bodies are parsed in well under a millisecond. */
const LARGE_BYTES = 32 * 1024;
/** Parse about this much of a body in one turn: a thousand parts or fields at once take a quarter of a second on a busy machine. */
export const SLICE_BYTES = 16 * 1024;

let last: Promise<void> = Promise.resolve();

/** @returns the body synchronously if it has arrived and is small */
export function inTurn(body: Uint8Array | Promise<Uint8Array>): Uint8Array | Promise<Uint8Array> {
  if (isPromise(body)) return body.then(inTurn);
  if (body.length < LARGE_BYTES) return body;
  return nextTurn().then(() => body);
}

/** Resolves in a turn of the event loop that belongs to this caller alone. */
export function nextTurn(): Promise<void> {
  return (last = last.then(() => new Promise<void>((resolve) => void setImmediate(resolve))));
}
