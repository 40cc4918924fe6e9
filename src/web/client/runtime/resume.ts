/**
 * Resuming: values, scopes and rows come alive only when an event or a write reaches them. Nothing scans the document.
 * docs/resume-protocol.md sections 3 and 6.
 */
import { batch, guard, onBeforeWrite, scoped } from "../../reactivity/system.ts";
import { Cell } from "../../reactivity/signal.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import type { Chunk, DispatchedEvent, Modules, PageState, Slots, Step } from "./types.ts";

let parsed: PageState | undefined;

/** The state script, parsed once. Data may give another element its id, but makes no script. */
export const pageState = (): PageState =>
  (parsed ??= JSON.parse(document.querySelector(`script#${DOM.stateId}`)!.textContent as string) as PageState);

/** How a value of each kind is made; the part `store` adds those that need it. */
export const kinds: ((value: never) => unknown)[] = [(value) => new Cell(value), (value) => value];

export const values: unknown[] = [];
/** Value that came with the page -> scopes to wake before it first changes. */
export const sleepers = new WeakMap<object, number[]>();

export const valueAt = (index: number): unknown => {
  if (!(index in values)) {
    const [kind, value, scopes] = pageState().v[index]!;
    values[index] = kinds[kind]!(value as never);
    if (scopes) sleepers.set(values[index] as object, scopes);
  }
  return values[index];
};

/** Root of a scope, or row -> its slots. Not properties: on a form those may be names of its fields. */
export const slotsAt = new WeakMap<Node, Slots>();
/** Raw item -> the row of a list that the server rendered for it and nothing has bound yet (list.ts). */
export const unboundRows = new Map<unknown, () => void>();

/** Development only. Exports that core.ts does not name are for there. */
export const awake: Record<string, Slots> = {};
export let loaded: Modules;

export const chunkNamed = (name: string): Chunk => loaded["handler/" + name] as Chunk;

/** Ties a scope's slots to its element and runs its bindings, once. */
export const wake = (id: number | string): void => {
  const { s } = pageState();
  // Nothing here holds what has been woken, so that it goes with its element.
  const [chunk, bind, ...indices] = s[id] || [];
  const root = chunk && document.querySelector(`[${DOM.scope}^="${id} "]:not([${DOM.portal}])`);
  // Awake already, or out of sight: in a boundary that shows something else.
  if (!root) return;
  s[id] = 0;
  const slots = indices.map(valueAt) as Slots;
  slotsAt.set(root, slots);
  if (__DEV__) awake[id] = slots;
  if (!bind) return;
  guard._run(() => {
    slots._end = scoped(true, () => chunkNamed(chunk)[bind]!(slots, root));
  }, root);
};

onBeforeWrite((value) => {
  const scopes = sleepers.get(value);
  sleepers.delete(value);
  scopes?.forEach(wake);
});

/**
 * A write wakes the scopes that show the value, and waking can't wait for code: so what handlers may set off is fetched
 * before they run. The server has worked out what that is.
 */
export const prepare = (steps: Step[], modules: Modules): string[] => {
  loaded = modules;
  return steps.flatMap(([, , id, names]) => [...names, ...(pageState().n[id] || [])]).filter((name) => !modules[name]);
};

/**
 * Slots of the nearest row or scope; none where that was taken away before it was ever awake. Binding a row that the server rendered may
 * bring rows inside it to light.
 */
const slotsOf = (element: Element): Slots | undefined => {
  let slots: Slots | undefined;
  for (let at: Node | null = element; at && !slots; at = at.parentNode) slots = slotsAt.get(at);
  if (!slots?._bind) return slots;
  slots._bind();
  return slotsOf(element);
};

export const run = (event: DispatchedEvent, steps: Step[]): void => {
  batch(() => {
    for (const [element, symbol, id, [, module]] of steps) {
      // Set by stopPropagation; outlives the dispatch of a real event, so that late handlers can still stop it.
      if (event.cancelBubble) return;
      wake(id);
      try {
        // Late handlers run after the dispatch, when it is null; early it is the window, where the stub listens.
        Object.defineProperty(event, "currentTarget", { value: element, configurable: true });
        // An island's moment names no handler. Looked for twice: a name for the slots would be more than core may weigh.
        guard._run(
          () => slotsOf(element) && (loaded[module!] as Chunk)[symbol]?.(slotsOf(element)!, event, element),
          element,
        );
      } catch (error) {
        reportError(error);
      }
    }
  });
};
