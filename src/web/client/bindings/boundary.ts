/**
 * `boundary.js`: when code inside an `<ErrorBoundary>` throws, shows its fallback in place of its content; the rest of the page
 * stays interactive. Scopes inside a boundary name this module beside their chunk, so it is loaded before their code runs.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { batch, guard, refresh, scoped, slotsAt } from "../runtime/core.ts";
import type { DispatchedEvent, EventQueue, Slots } from "../runtime/types.ts";

/** Slots of a fallback: its component's slots, the error and the reset function, under the property names of a row. */
interface FallbackSlots extends Slots {
  $: Slots;
  i: { value: unknown };
  n: { value: () => void };
}

type Bind = 0 | ((slots: FallbackSlots, element: Element) => void);
type Failure = DispatchedEvent & { error: unknown };

/** The element that the running code belongs to. */
let place: object | undefined;
/** Mark of a node whose value must be recomputed (src/web/reactivity/system.ts). */
const DIRTY = 2;
/** State of a boundary that shows its fallback, or is about to. */
interface Failed {
  /** Run the failed effects again. */
  retries: (() => void)[];
  fallback: Node[];
  /** Contains the boundary's content while the fallback is shown. */
  kept?: Element;
}

/** End element of a boundary -> its state. */
const failed = new Map<Element, Failed>();
/** Hidden container of a boundary's content -> end of the boundary. It stays in the document, so that its bindings keep working. */
const waiting = new WeakMap<Node, Element>();

const isStart = (node: Node): boolean => node instanceof Comment && node.data === DOM.boundary;
const isEnd = (node: Node): boolean => node instanceof HTMLTemplateElement && node.hasAttribute(DOM.boundary);

/** The template element that marks where a portal's content belongs, or the node itself. */
const anchorOf = (node: Node): Node => {
  const name = node instanceof Element && node.getAttribute(DOM.portal);
  return (name && document.querySelector(`template[${DOM.portal}="${name}"]`)) || node;
};

/** End of the innermost boundary around an element. A boundary does not catch errors of its own fallback. */
const boundaryOf = (element: Node | undefined): Element | undefined => {
  for (let inner: Node | null | undefined = element; inner; inner = inner.parentNode) {
    const at = (inner = anchorOf(inner));
    if (waiting.has(at)) return waiting.get(at);
    let depth = 0;
    for (let next = at.nextSibling; next; next = next.nextSibling) {
      if (isStart(next)) depth++;
      else if (isEnd(next) && !depth--) {
        if (!failed.get(next as Element)?.fallback.includes(at as ChildNode)) return next as Element;
        depth = 0;
      }
    }
  }
  return undefined;
};

/** Handles an error. @returns false if no boundary surrounds the element. */
const caught = (error: unknown, at: object | undefined, retry?: () => void): boolean => {
  const end = boundaryOf(at as Node | undefined);
  if (!end) return false;
  reportError(error);
  const before = failed.get(end);
  const retries = before?.retries ?? [];
  if (retry) retries.push(retry);
  if (before) return true;
  failed.set(end, { retries, fallback: [] });
  const { content } = end as HTMLTemplateElement;
  const fallback = fallbacks.get(end);
  if (fallback) fallback(error);
  else if (content.firstChild) replace(end, [...content.childNodes]);
  else (self.$svc as unknown as EventQueue).push({ type: DOM.caught, target: end, error, _way: [end] } as Failure);
  return true;
};

/** Replaces a boundary's content with its fallback. @returns a function that restores the content. */
export const replace = (end: Element, fallback: Node[]): (() => void) => {
  const kept = document.createElement("svc-kept");
  const hide = (isHidden: boolean): void => {
    kept.hidden = isHidden;
    for (const anchor of kept.querySelectorAll(`template[${DOM.portal}]`)) {
      const name = anchor.getAttribute(DOM.portal);
      document.querySelector(`[${DOM.portal}="${name}"]:not(template)`)?.toggleAttribute("hidden", isHidden);
    }
  };
  document.body.append(kept);
  waiting.set(kept, end);
  let depth = 0;
  for (let at; !isStart((at = end.previousSibling!)) || depth;) {
    if (isEnd(at)) depth++;
    else if (isStart(at)) depth--;
    kept.prepend(at);
  }
  hide(true);
  Object.assign(failed.get(end)!, { fallback, kept });
  end.before(...fallback);
  return () => {
    hide(false);
    end.before(...kept.childNodes);
    kept.remove();
  };
};

// Deferred content has replaced a boundary that shows its fallback: its content can't come back, so drop it.
addEventListener(DOM.arrived, () =>
  failed.forEach(({ kept }, end) => {
    if (!kept || end.isConnected) return;
    kept.remove();
    failed.delete(end);
  }),
);

/** Result of a failed run. */
const FAILED = {};

/** End of a boundary that the browser created -> shows its fallback (created/error-boundary.ts). */
export const fallbacks = new WeakMap<Element, (error: unknown) => void>();

/** Restores the content of a created boundary, without its fallback, and runs the failed code again. @param isOver removes the content instead */
export const restore = (end: Element, isOver?: boolean): void => {
  const { kept, retries = [] } = failed.get(end) ?? {};
  failed.delete(end);
  if (!isOver && kept) end.before(...kept.childNodes);
  kept?.remove();
  if (!isOver) retries.forEach((retry) => retry());
};

/** Runs code that belongs to `at`. @returns its result, or `FAILED` if a boundary has handled its error. */
export const guarded = (run: () => unknown, at: object | undefined, retry?: () => void): unknown => {
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

const inner = { ...guard };
guard._run = (run, at) => {
  const result = guarded(() => inner._run(run, at), at);
  return result instanceof Promise
    ? result.catch((error: unknown) => {
        if (!caught(error, at)) throw error;
      })
    : result;
};
guard._made = (node) => {
  inner._made?.(node);
  const at = place;
  const { _run, _write } = node;
  const retry = (): void => {
    node._mark = DIRTY;
    refresh(node);
  };
  node._run = () => guarded(_run!, at, retry);
  node._write = (value) => value === FAILED || guarded(() => _write!(value), at, retry);
};

/** The handler on a boundary's end element: creates the fallback. */
export const Caught = (event: Failure, end: Element, make: () => Element, bind: Bind, $: Slots): void => {
  const element = make();
  element.setAttribute(DOM.scope, end.getAttribute(DOM.scope)!);
  const putBack = replace(end, [element]);
  const reset = (): void => {
    stop();
    element.remove();
    putBack();
    const { retries } = failed.get(end)!;
    failed.delete(end);
    batch(() => retries.forEach((retry) => retry()));
  };
  const slots: FallbackSlots = { $, i: { value: event.error }, n: { value: reset } };
  element[slotsAt] = slots;
  const stop = scoped(false, () => bind && bind(slots, element));
};

/** Binds a fallback that the server rendered. There is no content to restore, so `reset` reloads the page. */
export const Fell = ($: Slots, root: Element, bind: Bind): void => {
  if (isEnd(root)) return;
  const slots: FallbackSlots = { $, i: { value: new Error() }, n: { value: () => location.reload() } };
  root[slotsAt] = slots;
  if (bind) bind(slots, root);
};
