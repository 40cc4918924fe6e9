/**
 * Scopes from the server in content that the browser may remove. A click in a component wakes its scope before the scope around it, whose
 * condition or list may remove the component. Nevertheless the outer effects have to run first, and the inner ones not at all once their
 * element is gone: they would read data that was removed with it.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { Cell, dispose, guard, isResuming, slotsAt } from "../runtime/core.ts";

/** What all effects of an awake scope are born after, by its root. */
const births = new WeakMap<Element, number>();

/** The scope that is waking, and what its effects must be born before. */
let waking: { root: Element; before: number } | undefined;

/** When the first of the awake scopes inside an element was born. */
const firstIn = (root: Element): number => {
  let first = Infinity;
  for (const at of root.querySelectorAll(`[${DOM.scope}]`))
    // One that woke before this module was loaded is older than all others.
    if (at[slotsAt]?._end) first = Math.min(first, births.get(at) ?? 0);
  return first;
};

const wakes = (at: unknown): at is Element =>
  at instanceof Element && at.hasAttribute(DOM.scope) && !!at[slotsAt] && !at[slotsAt]._end && !births.has(at);

/** Lets effects of outer scopes run before those of inner ones, and ends those whose element has been removed. */
export const orderScopes = (): void => {
  const inner = { ...guard };
  guard._run = (run, at) => {
    const outer = waking;
    waking = undefined;
    if (wakes(at)) {
      const before = firstIn(at);
      waking = { root: at, before };
      births.set(at, Math.min(before - 1, new Cell()._born));
    }
    try {
      return inner._run(run, at);
    } finally {
      waking = outer;
    }
  };
  guard._made = (node) => {
    inner._made?.(node);
    if (!waking || !isResuming()) return;
    const { root, before } = waking;
    const { _run: run, _write: write } = node;
    // They keep their own order.
    if (before < Infinity) node._born = before - 1 / (node._born + 2);
    node._run = () => (root.isConnected ? run!() : dispose(node));
    node._write = (value) => root.isConnected && write!(value);
  };
};
