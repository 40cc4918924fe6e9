/** Members of the results of hooks and the values of contexts. Other members may be for the server alone, such as keys. */
import { isOfStore } from "../../reactivity/server-store.ts";
import { renderInProgress } from "../current-page.ts";
import type { Render } from "../render.ts";
import { gettersOf } from "./function-props.ts";

/** The copies of a page. Another page makes its own, because a constant of a module may have other members by then. */
const copies = new WeakMap<Render, Map<object, Map<string, object>>>();

/**
 * What the browser gets of an object of which a component uses these members: a copy without the others. Called by compiled modules.
 * @param members names, separated by spaces
 * @returns the value itself if it is no plain object, if a function may reach the other members by `this`, or if a member is a text, number or
 * nothing: code of another component may set it later, which a copy would not show
 */
export function only<Value>(value: Value, members: string): Value {
  if (!isPlain(value) || isOfStore(value) || gettersOf(value)) return value;
  const known = copiesOf(value);
  let copy = known.get(members);
  if (!copy) known.set(members, (copy = copyOf(value, members.split(" "))));
  return copy as Value & object;
}

function copiesOf(value: object): Map<string, object> {
  const render = renderInProgress();
  if (!render) return new Map();
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
    const part: unknown = own?.value;
    const isShared = typeof part === "function" ? !usesThis(part) : typeof part === "object" && part !== null;
    if (!isShared) return value;
    copy[name] = part;
  }
  return Object.keys(copy).length === Object.keys(value).length ? value : copy;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function usesThis(fn: unknown): boolean {
  return /\bthis\b/.test(String(fn));
}
