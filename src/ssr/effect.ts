/**
 * `effect` on the server: it runs once, where it stands, and is undone when the page has been rendered. In the browser it runs
 * again when something it read has changed (src/browser/effect.ts).
 */
import { undoable } from "../reactivity/cleanup.ts";
import { effect as reaction } from "../reactivity/effect.ts";
import { untrack } from "../reactivity/signal.ts";
import { renderInProgress } from "./render.ts";

/**
 * Runs `run` once on the server, and in the browser whenever something it read has changed. A function that it returns, or
 * gives to `onCleanup`, is called before the next run; on the server when the page has been rendered.
 * @param run what needs the browser (`document`, `localStorage`) belongs in `onLoad`.
 * @returns the way to end it.
 */
export function effect(run: () => unknown): () => void {
  const render = renderInProgress();
  if (!render) return reaction(run);
  const undo = untrack(() => undoable(run));
  render.atEnd(undo);
  return undo;
}
