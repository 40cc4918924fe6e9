/**
 * `effect` on the server: it runs once, where it stands, and is undone when the page has been rendered. In the browser it runs
 * again when something it read has changed (src/web/client/state/effect.ts).
 */
import { undoable } from "../../reactivity/cleanup.ts";
import { effect as reaction } from "../../reactivity/effect.ts";
import { untrack } from "../../reactivity/signal.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { renderInProgress } from "../current-page.ts";

/**
 * Runs `run` once on the server, and in the browser whenever something it read has changed. A function that it returns, or
 * gives to `onCleanup`, is called before the next run; on the server when the page has been rendered.
 * @param run what needs the browser (`document`, `localStorage`) belongs in `onLoad`.
 * @returns the way to end it.
 */
export function effect(run: () => unknown): () => void {
  refuseUnseen("effect");
  return effectOfComponent(run);
}

/** The same where the compiler has seen it: in the body of a component. Called by compiled modules. */
export function effectOfComponent(run: () => unknown): () => void {
  const render = renderInProgress();
  if (!render) return reaction(run);
  const undo = untrack(() => undoable(run));
  render.atEnd(undo);
  return undo;
}

/**
 * For what the compiler takes over where it sees it. Called while a page is rendered, it stands somewhere else, so the browser
 * will never hear of it: development says so.
 * @throws SvcError SVC111
 */
export function refuseUnseen(name: string): void {
  if (!renderInProgress()?.isDevelopment) return;
  throw new SvcError(
    "SVC111",
    `SVC111 ${name} was called by a function that is no component, so the browser would never run it. Call it directly in the body of a component, whose name begins with a capital; a function that it shares with others can be called inside.`,
  );
}
