/**
 * Resuming: values, scopes and rows are created only when an event or a write reaches them. Nothing scans the document.
 * See docs/resume-protocol.md sections 3 and 6.
 */
import { batch, guard, onBeforeWrite, scoped } from "../../reactivity/system.ts";
import { signal } from "../../reactivity/signal.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { reportLatePrevention } from "../dev/late-prevention.ts";
import type { Chunk, DispatchedEvent, Modules, PageState, Slots, Step } from "./types.ts";

let parsed: PageState | undefined;

/** The state script, parsed once. Injected markup may reuse the id, but cannot create a script, so the selector names the tag. */
export const pageState = (): PageState =>
  (parsed ??= JSON.parse(document.querySelector(`script#${DOM.stateId}`)!.textContent as string) as PageState);

/** Creates a value, by kind. The part `store` and others add the kinds that they support. */
export const kinds: ((value: never) => unknown)[] = [signal, (value) => value];

export const values: unknown[] = [];
/** Value from the page -> scopes to wake before its first change. */
export const sleepers = new WeakMap<object, number[]>();

export const valueAt = (index: number): unknown => {
  if (!(index in values)) {
    const [kind, value, scopes] = pageState().v[index]!;
    values[index] = kinds[kind]!(value as never);
    if (scopes) sleepers.set(values[index] as object, scopes);
  }
  return values[index];
};

/** Name of a property: the slots of a row, or of the scope whose root this is. A form's fields can shadow other names, but no symbol. */
export const slotsAt: unique symbol = Symbol();

declare global {
  interface Node {
    [slotsAt]?: Slots | undefined;
  }
}

/** Raw item -> binds the row that the server rendered for it (list.ts). */
export const unboundRows = new Map<unknown, () => void>();

/** Development only, as are the exports of this file that core.ts does not re-export. */
export const awake: Record<string, Slots> = {};
export let loaded: Modules;

export const chunkNamed = (name: string): Chunk => loaded["handler/" + name] as Chunk;

/** Attaches a scope's slots to its element and runs its bindings, once. */
export const wake = (id: number | string): void => {
  const { s, _rootOf } = pageState();
  // No reference to the awake scope is kept here, so it can be collected together with its element.
  const [chunk, bind, ...indices] = s[id] || [];
  const root = chunk && (_rootOf?.(id) ?? document.querySelector(`[${DOM.scope}^="${id} "]:not([${DOM.portal}])`));
  // Already awake, or not in the document: its boundary shows a fallback.
  if (!root) return;
  s[id] = 0;
  const slots = [] as unknown[] & Slots;
  root[slotsAt] = slots;
  if (__DEV__) awake[id] = slots;
  guard._run(() => {
    slots._end = scoped(1, () => {
      // Creating a value may start an effect of a hook.
      slots.push(...indices.map(valueAt));
      chunkNamed(chunk)[bind!]?.(slots, root);
    });
  }, root);
};

onBeforeWrite((value) => {
  const scopes = sleepers.get(value);
  sleepers.delete(value);
  scopes?.forEach(wake);
});

/**
 * A write wakes the scopes that show the value, and waking is synchronous. So all code that the handlers may need is fetched
 * before they run. The server has computed which modules that includes.
 */
export const prepare = (steps: Step[], modules: Modules): string[] => {
  loaded = modules;
  return steps.flatMap(([, , id, names]) => names.concat(pageState().n[id] || [])).filter((name) => !modules[name]);
};

/**
 * Slots of the nearest row or scope; undefined if that was removed before it was ever awake. Binding a server-rendered row may register
 * rows inside it, so the search starts again afterwards.
 */
const slotsOf = (element: Element): Slots | undefined => {
  let slots: Slots | undefined;
  for (let at: Node | null = element; at && !slots; at = at.parentNode) slots = at[slotsAt];
  if (!slots?._bind) return slots;
  slots._bind();
  return slotsOf(element);
};

export const run = (event: DispatchedEvent, steps: Step[]): void =>
  batch(() => {
    for (const [element, symbol, id, [, module]] of steps) {
      // stopPropagation sets it. It survives the dispatch of a native event, so a handler that runs late can still stop the event.
      if (event.cancelBubble) return;
      wake(id);
      if (__DEV__) reportLatePrevention(event);
      try {
        // After the dispatch currentTarget is null; during the dispatch it is the window, where the stub listens.
        Object.defineProperty(event, "currentTarget", { value: element, configurable: 1 as never });
        // A lifecycle trigger of an island names no handler. The slots are looked up twice because a variable would exceed core's size budget.
        guard._run(
          () => slotsOf(element) && (loaded[module!] as Chunk)[symbol]?.(slotsOf(element)!, event, element),
          element,
        );
      } catch (error) {
        reportError(error);
      }
    }
  });
