/**
 * `effect` on the server: runs the function once, in place, and cleans up after the render. In the browser the effect runs again
 * when something that it read changes (src/web/client/state/effect.ts).
 */
import { undoable } from "../../reactivity/cleanup.ts";
import { effect as reaction } from "../../reactivity/effect.ts";
import { untrack } from "../../reactivity/signal.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { renderInProgress } from "../current-page.ts";
import type { TemplateInfo } from "../template-info.ts";
import { lift } from "./function-props.ts";

/**
 * Runs `run` once on the server, and in the browser whenever something that it read changes. If `run` returns a function, or
 * passes one to `onCleanup`, that cleanup runs before the next run; on the server it runs after the render.
 * @param run code for both sides. Code that needs the browser (`document`, `localStorage`) belongs in `onLoad`.
 * @returns a function that stops the effect.
 * @example
 * function Title(props: { count: Signal<number> }) {
 *   effect(() => {
 *     document.title = `${props.count.value} new`;
 *   });
 *   return <p>{props.count.value}</p>;
 * }
 */
export function effect(run: () => unknown): () => void {
  refuseUnseen("effect");
  return effectOfComponent(run);
}

/** Like `effect`, for a call that the compiler found in the body of a component. Called by compiled modules. */
export function effectOfComponent(run: () => unknown): () => void {
  const render = renderInProgress();
  if (!render) return reaction(run);
  const undo = untrack(() => undoable(run)) ?? (() => undefined);
  render.atEnd(undo);
  return undo;
}

/**
 * Like `effect`, for a call that the compiler found in a function that components call. The next scope of the page starts it in the
 * browser. Called by compiled modules.
 */
export function effectOfHook(
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  run: () => unknown,
): () => void {
  renderInProgress()?.scopes.addEffect(lift(block, symbol, slots, run));
  return effectOfComponent(run);
}

/** `onLoad` in a function that components call. The next scope of the page wakes at load and runs `run` in the browser. Called by compiled modules. */
export function loadOfHook(
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  _run: () => unknown,
): void {
  renderInProgress()?.scopes.addLoad(lift(block, symbol, slots, {}));
}

/**
 * Rejects calls that the compiler has not replaced. It replaces the calls that it finds in components; any other call during a
 * render would have no counterpart in the browser.
 * @throws SvcError SVC111 in development
 */
export function refuseUnseen(name: string): void {
  if (!renderInProgress()?.isDevelopment) return;
  throw new SvcError(
    "SVC111",
    `SVC111 ${name} was called outside of a component's body, so the browser would never run it. Call it directly in the body of a component, whose name begins with a capital letter. Code shared by several components can move to a function that is called inside.`,
  );
}
