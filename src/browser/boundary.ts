/**
 * `boundary.js`: what fails inside an `<ErrorBoundary>` puts its fallback in place of its content, and the rest of the page
 * lives on. For scopes inside of one; loaded beside their chunk, so before any code of theirs runs.
 */
import { DOM } from "../shared/wire.ts";
import { batch, guard, refresh, scoped, slotsAt } from "./core.ts";
import type { DispatchedEvent, EventQueue, Slots } from "./types.ts";

/** Slots of a fallback: those of its component, the error, and the way back, under the names that a row has them. */
interface FallbackSlots extends Slots {
  $: Slots;
  i: { value: unknown };
  n: { value: () => void };
}

type Bind = 0 | ((slots: FallbackSlots, element: Element) => void);
type Failure = DispatchedEvent & { error: unknown };

/** Element to which the code that runs belongs. */
let place: object | undefined;
/** Of a node whose value has to be made again (src/reactivity/system.ts). */
const DIRTY = 2;
/** End of a boundary whose fallback is shown -> run the failed effects again. */
const failed = new Map<Element, (() => void)[]>();

const isStart = (node: Node): boolean => node instanceof Comment && node.data === DOM.boundary;
const isEnd = (node: Node): boolean => node instanceof HTMLTemplateElement && node.hasAttribute(DOM.boundary);

/** End of the innermost boundary around an element that shows its content. */
const boundaryOf = (element: Node | undefined): Element | undefined => {
  for (let at: Node | null | undefined = element; at; at = at.parentNode) {
    let depth = 0;
    for (let next = at.nextSibling; next; next = next.nextSibling) {
      if (isStart(next)) depth++;
      else if (isEnd(next) && !depth--) {
        if (!failed.has(next as Element)) return next as Element;
        depth = 0;
      }
    }
  }
  return undefined;
};

/** @returns whether there is somewhere to show it. What is out of sight already is only reported. */
const caught = (error: unknown, element: object | undefined, retry?: () => void): boolean => {
  const at = element as Element | undefined;
  const isHidden = at && !at.isConnected;
  const end = boundaryOf(at);
  if (!end && !isHidden) return false;
  reportError(error);
  if (!end) return true;
  failed.set(end, retry ? [retry] : []);
  const { content } = end as HTMLTemplateElement;
  if (content.firstChild) replace(end, content);
  else (self.$svc as unknown as EventQueue).push({ type: DOM.caught, target: end, error } as Failure);
  return true;
};

/** Puts a fallback in place of a boundary's content. @returns puts the content back. */
const replace = (end: Element, fallback: Node): (() => void) => {
  const kept = new DocumentFragment();
  let depth = 0;
  for (let at; !isStart((at = end.previousSibling!)) || depth;) {
    if (isEnd(at)) depth++;
    else if (isStart(at)) depth--;
    kept.prepend(at);
  }
  end.before(fallback);
  return () => end.before(kept);
};

/** What a run gives that has failed. */
const FAILED = {};

/** Runs code that belongs to `at`. @returns its result, or `FAILED` when a boundary has dealt with its error. */
const guarded = (run: () => unknown, at: object | undefined, retry?: () => void): unknown => {
  const outer = place;
  place = at;
  try {
    return run();
  } catch (error) {
    if (!caught(error, at, retry)) throw error;
    return FAILED;
  } finally {
    place = outer;
  }
};

guard._run = (run, at) => {
  const result = guarded(run, at);
  return result instanceof Promise
    ? result.catch((error: unknown) => {
        if (!caught(error, at)) throw error;
      })
    : result;
};
guard._made = (node) => {
  const at = place;
  const { _run, _write } = node;
  const retry = (): void => {
    node._mark = DIRTY;
    refresh(node);
  };
  node._run = () => guarded(_run!, at, retry);
  node._write = (value) => value === FAILED || guarded(() => _write!(value), at, retry);
};

/** The handler of a boundary's end: makes the fallback. */
export const Caught = (event: Failure, end: Element, make: () => Element, bind: Bind, $: Slots): void => {
  const element = make();
  element.setAttribute(DOM.scope, end.getAttribute(DOM.scope)!);
  const putBack = replace(end, element);
  const reset = (): void => {
    stop();
    element.remove();
    putBack();
    const retries = failed.get(end)!;
    failed.delete(end);
    batch(() => retries.forEach((retry) => retry()));
  };
  const slots: FallbackSlots = { $, i: { value: event.error }, n: { value: reset } };
  slotsAt.set(element, slots);
  const stop = scoped(false, () => bind && bind(slots, element));
};

/** Takes over a fallback that the server has written. There is no content to go back to, so `reset` asks for the page again. */
export const Fell = ($: Slots, root: Element, bind: Bind): void => {
  if (isEnd(root)) return;
  const slots: FallbackSlots = { $, i: { value: new Error() }, n: { value: () => location.reload() } };
  slotsAt.set(root, slots);
  if (bind) bind(slots, root);
};
