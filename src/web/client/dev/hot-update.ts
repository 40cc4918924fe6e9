/**
 * Development only: updates the live state of a page after an edit. Core itself does not support edits; this file is bundled
 * with it in place of the production core (scripts/build-browser.ts) and accesses its internals.
 */
import { batch } from "../../reactivity/system.ts";
import { Cell } from "../../reactivity/signal.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { serialize } from "../../../platform/shared/serialize.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import * as resume from "../runtime/resume.ts";
import type { Modules, PageState } from "../runtime/types.ts";

/** The state script of a development page. */
export type DevState = PageState & Required<Pick<PageState, "d">>;

/** How the values that came with the page have changed. */
export interface Changes {
  /** Name -> value, encoded as one object, so that references shared between values stay shared. */
  kept: Json;
  /** Names of the values in `kept`. */
  names: string[];
  /** Names of values that can't be serialized, and why. */
  lost: [name: string, why: string][];
}

const state = (): DevState => resume.pageState() as DevState;

/** Names of values that were ever changed in this page. After an edit the server renders with their current values. */
const touched = new Set<string>();

/** The values that differ from those the page came with. */
export function changes(): Changes {
  const held: Record<string, unknown> = {};
  const lost: Changes["lost"] = [];
  const pristine = script();
  const copies = new Map<unknown, unknown>();
  state().d.forEach((name, index) => {
    if (name === null || !(index in resume.values)) return;
    try {
      const value = resume.values[index];
      const now = plain(value instanceof Cell ? value._value : value, copies);
      if (JSON.stringify(serialize(now)) !== initial(pristine, index)) touched.add(name);
      if (touched.has(name)) held[name] = now;
    } catch (error) {
      lost.push([name, (error as Error).message]);
    }
  });
  return { kept: serialize(held), names: Object.keys(held), lost };
}

/** A value without store proxies. @param copies the copies made so far, so that each object is copied once. */
function plain(value: unknown, copies: Map<unknown, unknown>): unknown {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return value;
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copy: Record<string, unknown> | unknown[] = isList ? [] : {};
  copies.set(value, copy);
  for (const [key, item] of Object.entries(value)) Reflect.set(copy, key, plain(item, copies));
  return copy;
}

/** The state as the server sent it. Parsed again, because the stores modify the objects that core parsed. */
function script(): DevState {
  return JSON.parse(document.querySelector(`script#${DOM.stateId}`)!.textContent) as DevState;
}

function initial(pristine: DevState, index: number): string {
  const row = pristine.v[index];
  // Values that came later with deferred content count as changed.
  if (!row) return "";
  const [kind, value] = row;
  // Kinds from 4 upwards are already encoded.
  return JSON.stringify(kind < 4 ? serialize(value) : value);
}

/** The loader's modules; undefined before the first event. */
export const modules = (): Modules | undefined => resume.loaded as Modules | undefined;

/** Root elements of the scopes that are awake. */
export function awakeElements(): Element[] {
  return Object.keys(resume.awake).flatMap(
    (id) => document.querySelector(`[${DOM.scope}^="${id} "]:not([${DOM.portal}])`) ?? [],
  );
}

/**
 * Replaces the page's state after the document has been updated. Signals and stores with the same name stay the same objects, so that
 * running handlers continue with them. All scopes are asleep again afterwards, except those in `wasAwake`.
 * @param kept names of the values that the server used for the render.
 */
export function transferState(next: DevState, wasAwake: readonly Element[], kept: readonly string[]): void {
  const before = new Map<string, unknown>();
  state().d.forEach((name, index) => {
    if (name !== null && index in resume.values) before.set(name, resume.values[index]);
  });
  endBindings();
  for (const element of document.querySelectorAll("*")) {
    element[resume.slotsAt] = undefined;
  }
  resume.unboundRows.clear();
  for (const value of resume.values) resume.sleepers.delete(value as object);
  for (const id of Object.keys(resume.awake)) delete resume.awake[id];
  resume.values.length = 0;
  Object.assign(state(), next);
  next.d.forEach((name, index) => {
    const known = name === null ? undefined : before.get(name);
    if (known !== undefined) carry(known, index, kept.includes(name as string));
  });
  const ids = wasAwake.map((element) => element.isConnected && element.getAttribute(DOM.scope)?.split(" ")[0]);
  // The server ran new effects before it had the values of this page.
  const shown = kept.flatMap((name) => resume.sleepers.get(resume.values[next.d.indexOf(name)] as object) ?? []);
  self.$svc._isEdit = true;
  try {
    batch(() => new Set([...ids, ...shown.map(String)]).forEach((id) => id && resume.wake(id)));
  } finally {
    self.$svc._isEdit = false;
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(serialize(plain(value, new Map())));
}

/** A portal removes its content when its bindings end, but by now that content belongs to the new page, so removal is disabled. */
function endBindings(): void {
  const contents = [...document.querySelectorAll(`[${DOM.portal}]:not(template)`)];
  for (const content of contents) Object.defineProperty(content, "remove", { value: () => {}, configurable: true });
  for (const slots of Object.values(resume.awake)) slots._end?.();
  for (const content of contents) Reflect.deleteProperty(content, "remove");
}

/** Keeps a signal or store. The page was rendered with its current value if `isKept`, otherwise with its new initial value. */
function carry(known: unknown, index: number, isKept: boolean): void {
  const fresh = resume.valueAt(index);
  if (known instanceof Cell && fresh instanceof Cell) {
    if (!isKept) known._value = known._known = fresh._value;
  } else if (!isKept && textOf(known) !== textOf(fresh)) return;
  const scopes = resume.sleepers.get(fresh as object);
  resume.sleepers.delete(fresh as object);
  resume.values[index] = known;
  if (scopes) resume.sleepers.set(known as object, scopes);
}
