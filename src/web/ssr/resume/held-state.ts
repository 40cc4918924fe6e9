/**
 * Stores that the compiler cannot see: in the results of hooks, and the values of contexts. The server looks at the value. If it is a
 * store, an object inside of one, or an object with a store at one of the members that the component reads, then the instance is bound like
 * one with live props (live-props.ts). Other values reach no page.
 */
import { remembered } from "../../../platform/shared/collections/memoize.ts";
import { ServerResource } from "../../reactivity/server-resource.ts";
import { isOfStore, mayHoldState, promote } from "../../reactivity/server-store.ts";
import { isSignal, untrack, type Signal } from "../../reactivity/signal.ts";
import { gettersOf, referenceOf } from "./function-props.ts";
import { holdsNested, isNested, partsOf } from "./nested-values.ts";
import { renderInProgress } from "../current-page.ts";
import type { Render } from "../render.ts";
import { Derived, LIVE, Mixed, type Props } from "./live-props.ts";

/** Stands in `paths` for all members: the value is passed to a function, or the member has no fixed name. */
const ANY = "*";

const mixed = new WeakMap<Render, Map<object, Mixed>>();

const segmentsOf = remembered((paths) => paths.split(" ").map((path) => path.split(".")));

/**
 * The props object of an instance, with the state that it also shows as further live props.
 * @param given name, value and the members that the component reads of the value, separated by spaces: `"form", form, "data.name"`.
 */
export function held(props: Props | undefined, ...given: readonly unknown[]): Props | undefined {
  if (!mayHoldState()) return props;
  let found: Record<string, unknown> | undefined;
  for (let at = 0; at < given.length; at += 3) {
    const value = given[at + 1];
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    const name = given[at] as string;
    if (props?.[LIVE]?.[name] !== undefined) continue;
    const state = stateOf(value, given[at + 2] as string);
    if (state !== undefined) (found ??= { ...props?.[LIVE] })[name] = state;
  }
  return found ? { [LIVE]: found } : props;
}

/** What a component passes on of a value of a hook: the value if all of it is state, else the component that gets it decides by its reads. */
export function passedState(value: unknown): object | undefined {
  const state = wholeState(value);
  if (state || typeof value !== "object" || value === null || !mayHoldState()) return state;
  return mayContainStores(value) ? mixedOf(value) : undefined;
}

/** Instances of one page that get the same object share what the browser gets of it. */
function mixedOf(value: object): Mixed {
  const render = renderInProgress();
  if (!render) return new Mixed(value);
  let known = mixed.get(render);
  if (!known) mixed.set(render, (known = new Map()));
  let found = known.get(value);
  if (!found) known.set(value, (found = new Mixed(value)));
  return found;
}

/**
 * The props object of an instance, with the state in props that `passedState` left to the component.
 * @param reads name of a prop and the members that the component reads of it, separated by spaces: `"form", "data.name label"`.
 */
export function withMembers(props: Props | undefined, ...reads: readonly string[]): Props | undefined {
  const given = props?.[LIVE];
  if (!given) return props;
  let found: Record<string, unknown> | undefined;
  for (let at = 0; at < reads.length; at += 2) {
    const name = reads[at] as string;
    const part = given[name];
    const state = part instanceof Mixed ? membersOf(part, reads[at + 1] as string) : undefined;
    if (state !== undefined) (found ??= { ...given })[name] = state;
  }
  return found ? { [LIVE]: found } : props;
}

function membersOf({ value, states }: Mixed, paths: string): object | undefined {
  if (!states.has(paths)) states.set(paths, stateOf(value, paths));
  return states.get(paths);
}

/**
 * What the browser gets of a value: a store, or an object with only these members, if one of them is a store. Undefined for other values.
 */
export function stateOf(value: unknown, paths: string): object | undefined {
  if (typeof value === "function") return readsState(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof ServerResource) return value;
  if (isSignal(value)) return listsStores(value) ? value : undefined;
  if (isOfStore(value)) {
    promote(value);
    return value;
  }
  // Rows and methods read any item.
  if (Array.isArray(value)) return wholeState(value);
  if (!mayContainStores(value)) return undefined;
  const found: Record<string, unknown> = {};
  let isState = false;
  for (const path of segmentsOf(paths)) {
    if (path[0] === ANY) return wholeState(value);
    if (copyMember(value, path, found)) isState = true;
  }
  if (!isState) return undefined;
  return gettersOf(value) ? wholeState(value) : found;
}

/**
 * A value that is passed to a component as a whole, which may read any member. Only values that consist of state, and of functions that the
 * browser can create, count: others may contain what the page does not show.
 */
export function wholeState(value: unknown): object | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || !mayHoldState()) return undefined;
  return isOnlyState(value, new Set()) && holdsNested(value) ? value : undefined;
}

function isOnlyState(value: unknown, seen: Set<unknown>): boolean {
  if (isOfStore(value)) promote(value);
  if (value == null || typeof value === "boolean" || isNested(value) || seen.has(value)) return true;
  if (typeof value !== "object" || !mayContainStores(value)) return false;
  seen.add(value);
  return [...partsOf(value)].every((part) => isOnlyState(part, seen));
}

/** Whether the value of a signal or computed is a list with items of a store, whose fields change although the list stays. */
function listsStores(list: Signal<unknown>): boolean {
  try {
    const items = untrack(() => list.value);
    return Array.isArray(items) && items.some(isOfStore);
  } catch {
    // What shows the computed reports its error.
    return false;
  }
}

/** Whether the browser can create a function, from state. Calling it may read that state. */
function readsState(value: object): boolean {
  return referenceOf(value)?.slots.some((slot) => slot instanceof Derived || holdsNested(slot)) ?? false;
}

function mayContainStores(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** Copies a member, or the store or array that it is a member of. @returns whether it is a store */
function copyMember(value: object, path: readonly string[], copy: Record<string, unknown>): boolean {
  let from = value;
  let into = copy;
  for (const [at, key] of path.entries()) {
    // A getter may have an effect.
    const part: unknown = Object.getOwnPropertyDescriptor(from, key)?.value;
    const isState =
      isOfStore(part) ||
      part instanceof ServerResource ||
      (typeof part === "function" && readsState(part)) ||
      (Array.isArray(part) && wholeState(part) !== undefined);
    if (isOfStore(part)) promote(part);
    if (into[key] === part && part !== undefined) return isState;
    const isLast = at === path.length - 1 || typeof part !== "object" || part === null || !mayContainStores(part);
    if (isState || isLast) {
      if (typeof part !== "function" || referenceOf(part)) into[key] = part;
      return isState;
    }
    from = part;
    into = (into[key] ??= {}) as Record<string, unknown>;
  }
  return false;
}
