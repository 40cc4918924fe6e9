/**
 * Development only: what an edit does to the living state of a page. Core itself knows nothing of edits; this file is bundled
 * with it in place of the core of production (scripts/build-browser.ts) and reaches inside.
 */
import { batch } from "../../reactivity/system.ts";
import { Cell } from "../../reactivity/signal.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { serialize } from "../../../platform/shared/serialize.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import * as resume from "../runtime/resume.ts";
import type { Modules, PageState } from "../runtime/types.ts";

/** The state script of a page under development. */
export type DevState = PageState & Required<Pick<PageState, "d">>;

/** What became of the values that a page came with. */
export interface Changes {
  /** Name -> value, as one encoded object: what two of them share stays shared. */
  kept: Json;
  /** Names of what is in it. */
  names: string[];
  /** Names of values that can't be sent, and why. */
  lost: [name: string, why: string][];
}

const state = (): DevState => resume.pageState() as DevState;

/** Names of values that were set here, however long ago: after an edit the page comes with what they hold. */
const touched = new Set<string>();

/** Values that are no longer as the page first came. */
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

/** A value without the proxies of stores. @param copies of what has been met, which is each copied once. */
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

/** As the page came: what core has parsed of it are the objects behind the stores by now. */
function script(): DevState {
  return JSON.parse(document.querySelector(`script#${DOM.stateId}`)!.textContent) as DevState;
}

function initial(pristine: DevState, index: number): string {
  const row = pristine.v[index];
  // What came later, in a piece of a streamed page, counts as changed.
  if (!row) return "";
  const [kind, value] = row;
  // Kinds from 4 on are encoded already.
  return JSON.stringify(kind < 4 ? serialize(value) : value);
}

/** Modules that the loader has; undefined before the first event. */
export const modules = (): Modules | undefined => resume.loaded as Modules | undefined;

/** Scopes that are awake, by the elements they stand on. */
export function awakeElements(): Element[] {
  return Object.keys(resume.awake).flatMap(
    (id) => document.querySelector(`[${DOM.scope}^="${id} "]:not([${DOM.portal}])`) ?? [],
  );
}

/**
 * Puts a new state in the place of the page's, whose document is the new one's already. Signals and stores stay the objects
 * they are where they have the same name, so that handlers under way go on with them; everything sleeps again.
 * @param kept names of the values that the server has rendered the page with.
 */
export function transferState(next: DevState, wasAwake: readonly Element[], kept: readonly string[]): void {
  const before = new Map<string, unknown>();
  state().d.forEach((name, index) => {
    if (name !== null && index in resume.values) before.set(name, resume.values[index]);
  });
  endBindings();
  for (const element of document.querySelectorAll("*")) {
    resume.slotsAt.delete(element);
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
  batch(() => {
    for (const element of wasAwake) {
      const id = element.getAttribute(DOM.scope)?.split(" ")[0];
      if (id !== undefined && element.isConnected) resume.wake(id);
    }
  });
}

function textOf(value: unknown): string {
  return JSON.stringify(serialize(plain(value, new Map())));
}

/** Portals take their content along when they end, but what stands there is the new page's by now. */
function endBindings(): void {
  const contents = [...document.querySelectorAll(`[${DOM.portal}]:not(template)`)];
  for (const content of contents) Object.defineProperty(content, "remove", { value: () => {}, configurable: true });
  for (const slots of Object.values(resume.awake)) slots._end?.();
  for (const content of contents) Reflect.deleteProperty(content, "remove");
}

/** The server has rendered the page with what the value holds, or with what it begins with from now on. */
function carry(known: unknown, index: number, isKept: boolean): void {
  const fresh = resume.valueAt(index);
  if (known instanceof Cell && fresh instanceof Cell) {
    if (!isKept) known._value = fresh._value;
  } else if (!isKept && textOf(known) !== textOf(fresh)) return;
  const scopes = resume.sleepers.get(fresh as object);
  resume.sleepers.delete(fresh as object);
  resume.values[index] = known;
  if (scopes) resume.sleepers.set(known as object, scopes);
}
