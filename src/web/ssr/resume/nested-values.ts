/**
 * Finds values inside of captured values that have an identity of their own in the browser: signals, computeds, refs, resources, stores, and
 * functions and JSX from compiled modules. The page's state refers to them by index (values.ts).
 */
import { isRef } from "../../jsx/ref.ts";
import { ServerResource } from "../../reactivity/server-resource.ts";
import { isStore } from "../../reactivity/server-store.ts";
import { isSignal } from "../../reactivity/signal.ts";
import { Html } from "../html.ts";
import { gettersOf, referenceOf } from "./function-props.ts";

/** Whether a value inside another one has an entry of its own. */
export function isNested(value: unknown): boolean {
  if (typeof value === "function" || value instanceof Html) return referenceOf(value) !== undefined;
  if (typeof value !== "object" || value === null) return false;
  return value instanceof ServerResource || isSignal(value) || isStore(value) || isRef(value);
}

/** Whether plain JSON can't represent an object because of a value or getter that has an entry of its own. */
export function isSpecial(value: object): boolean {
  return isNested(value) || gettersOf(value) !== undefined;
}

/** @param isOfStore whether `root` is a store. Stores inside it are parts of it. */
export function nestedValues(root: unknown, isOfStore: boolean): unknown[] {
  const found: unknown[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (seen.has(value) || (typeof value !== "object" && typeof value !== "function") || value === null) return;
    seen.add(value);
    if (isNested(value) && !(isOfStore && isStore(value))) found.push(value);
    else for (const part of partsOf(value)) visit(part);
  };
  visit(root);
  return found;
}

/** Values in an object, and getters that the browser creates. */
export function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value].flat();
  if (Array.isArray(value) || value instanceof Set) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return [];
  const getters = gettersOf(value);
  if (!getters) return Object.values(value);
  return Object.keys(value).map((key): unknown => getters[key] ?? (value as Record<string, unknown>)[key]);
}

/** Whether a captured value is reactive, or contains a reactive value or a function. */
export function holdsNested(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return isNested(value) || nestedValues(value, false).length > 0;
}
