/** Members of objects that browser code captures. Other members may be for the server alone, such as keys. */
import { isOfStore } from "../../reactivity/server-store.ts";
import { renderInProgress } from "../current-page.ts";
import type { Render } from "../render.ts";
import { recordCopy } from "./copies.ts";
import { gettersOf } from "./function-props.ts";

/** Copies of one object, by the names of their members. */
type Copies = Map<string, object>;

/** The copies of a page. Another page makes its own, because a constant of a module may have other members by then. */
const copies = new WeakMap<Render, Map<object, Copies>>();

/**
 * What the browser gets of an object of which code uses these members: a copy without the others. If other code captures the object as a whole,
 * all get the whole (values.ts), so that each sees what the others set. Called by compiled modules.
 * @param members names, separated by spaces
 * @returns the value itself if it is no plain object, or if a function or getter may reach the other members by `this`
 */
export function only<Value>(value: Value, members: string): Value {
  if (!isPlain(value) || isOfStore(value) || gettersOf(value)) return value;
  const known = copiesOf(value);
  let copy = known?.get(members);
  if (!copy) {
    copy = copyOf(value, members.split(" "));
    if (copy !== value) recordCopy(copy, value);
    known?.set(members, copy);
  }
  return copy as Value & object;
}

function copiesOf(value: object): Copies | undefined {
  const render = renderInProgress();
  if (!render) return undefined;
  let ofPage = copies.get(render);
  if (!ofPage) copies.set(render, (ofPage = new Map()));
  let known = ofPage.get(value);
  if (!known) ofPage.set(value, (known = new Map()));
  return known;
}

function copyOf(value: object, members: readonly string[]): object {
  const copy: Record<string, unknown> = {};
  for (const name of members) {
    const own = Object.getOwnPropertyDescriptor(value, name);
    if (own ? own.get !== undefined || usesThis(own.value) : name in value) return value;
    if (own) copy[name] = own.value;
  }
  return Object.keys(copy).length === Object.keys(value).length ? value : copy;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function usesThis(part: unknown): boolean {
  return typeof part === "function" && /\bthis\b/.test(String(part));
}
