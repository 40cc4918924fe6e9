/**
 * `boundary.js`: what fails inside an `<ErrorBoundary>` puts its fallback in place of its content, and the rest of the page
 * lives on. For scopes inside of one; loaded beside their chunk, so before any code of theirs runs.
 */
import { DOM } from "../shared/wire.ts";
import { batch, Cell, guard, scopedBindings, slotsAt } from "./core.ts";
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
let place: Element | undefined;
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
const caught = (error: unknown, at: Element | undefined, retry?: () => void): boolean => {
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

const guarded = (run: () => unknown, at?: object, retryOf?: () => () => void): unknown => {
  const outer = place;
  place = at as Element | undefined;
  const where = place;
  try {
    const result = run();
    return result instanceof Promise
      ? result.catch((error: unknown) => {
          if (!caught(error, where)) throw error;
        })
      : result;
  } catch (error) {
    if (!caught(error, where, retryOf?.())) throw error;
    return undefined;
  } finally {
    place = outer;
  }
};

guard._run = guarded;
guard._effect = (run) => {
  const at = place;
  let again: Cell | undefined;
  const retryOf = (): (() => void) => {
    const cell = (again ??= new Cell(undefined));
    // Read by the effect that failed, so that it can be set off whatever else it has read.
    void cell.value;
    return () => (cell.value = {});
  };
  return () => guarded(run, at, retryOf);
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
  const stop = scopedBindings(false, () => bind && bind(slots, element));
};

/** Takes over a fallback that the server has written. There is no content to go back to, so `reset` asks for the page again. */
export const Fell = ($: Slots, root: Element, bind: Bind): void => {
  if (isEnd(root)) return;
  const slots: FallbackSlots = { $, i: { value: new Error() }, n: { value: () => location.reload() } };
  slotsAt.set(root, slots);
  if (bind) bind(slots, root);
};
