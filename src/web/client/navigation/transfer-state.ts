/**
 * `reseat.js`: carries the live state of a page over to the page that replaces it (page-swap.ts). Loaded only once core is, that is after
 * an interaction. Every scope of the new document gets an unused id. A changed value is carried over if the element of its scope stays and
 * the server starts with the same value on both pages.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { kinds, pageState, slotsAt, unboundRows, valueAt, values } from "../runtime/core.ts";
import { patchLateHtml } from "../streaming/patch-late-html.ts";
import { stateOf } from "./fetched-page.ts";
import type { PageState, ValueRow } from "../runtime/types.ts";

/** Kind of the values that are carried over. The server never writes it. */
const CARRIED = 99;
/** Kinds whose values the page may change: signals and stores, plain or encoded. A shared value names its kind itself. */
const CHANGING = new Set([0, 2, 5, 6]);
const SHARED = 10;

/** A scope of the previous page. */
interface Before {
  chunk: string;
  indices: readonly number[];
  isAwake: boolean;
}

/** The page's current state. It includes deferred content, unlike the state script. */
export const current = (): PageState => pageState();

/** The state of the previous page, needed once the document has become the new one. */
export interface PreviousState {
  /** Rows as the server wrote them. */
  state: PageState;
  scopes: Map<Element, Before>;
  /** Sparse: values that were never read have not been created. */
  values: unknown[];
}

/** State of a page without interactive parts. */
const EMPTY: PageState = { csrf_token: "", build: "", s: {}, v: [], n: {} };

// Parse the state script now, before a swap replaces it.
pageState();

let carried: unknown[] = [];
kinds[CARRIED] = (place: number) => carried[place];

/** Ends all bindings before the document changes. @param isKept whether the state of a scope may be carried over */
export const leave = (isKept: (root: Element) => boolean): PreviousState => {
  const state = stateOf(document) ?? EMPTY;
  const scopes = new Map<Element, Before>();
  for (const root of document.querySelectorAll(`[${DOM.scope}]:not([${DOM.portal}])`)) {
    const [chunk = "", , ...indices] = state.s[root.getAttribute(DOM.scope)!.split(" ")[0]!] || [];
    const slots = root[slotsAt];
    if (isKept(root)) scopes.set(root, { chunk, indices, isAwake: slots !== undefined });
    slots?._end?.();
  }
  return { state, scopes, values: values.slice() };
};

/** Loads the state of the new document. */
export const enter = (before: PreviousState): void => {
  for (const element of document.querySelectorAll("*")) element[slotsAt] = undefined;
  unboundRows.clear();
  const next = stateOf(document);
  if (!next) return;
  const isSame = (from: number, to: number): boolean => {
    const begins = beginningOf(before.state, from);
    return begins !== undefined && begins === beginningOf(next, to);
  };
  // The page works with its own copy; the script keeps the state as the server wrote it.
  const { csrf_token } = pageState();
  const state = Object.assign(pageState(), stateOf(document));
  // A shared page comes without a token.
  state.csrf_token ||= csrf_token;
  values.length = 0;
  carried = [];
  const kept = new Set<number>();
  const wasAwake: string[] = [];
  for (const [root, { chunk, indices, isAwake }] of before.scopes) {
    const id = root.isConnected && root.getAttribute(DOM.scope)?.split(" ")[0];
    const [nextChunk, , ...places] = (id && next.s[id]) || [];
    if (!id || nextChunk !== chunk) continue;
    if (isAwake) wasAwake.push(id);
    places.forEach((place, at) => {
      const from = indices[at]!;
      if (kept.has(place) || !(from in before.values) || !isSame(from, place)) return;
      kept.add(place);
      // No scopes to wake: `wakeAll` wakes the new ones, and those of the previous page are gone.
      state.v[place] = [CARRIED, carried.push(before.values[from]) - 1, []];
      valueAt(place);
    });
  }
  wakeAll(next, kept, wasAwake);
};

/** Wakes the scopes that show carried values: binds them to the values that the server rendered, then updates them to the current ones. */
const wakeAll = (next: PageState, kept: ReadonlySet<number>, wasAwake: readonly string[]): void => {
  const shown = new Map<string, number[]>(wasAwake.map((id) => [id, []]));
  for (const place of kept) {
    for (const id of next.v[place]![2] ?? []) shown.set(String(id), [...(shown.get(String(id)) ?? []), place]);
  }
  for (const [id, places] of shown) patchLateHtml(id, places, (place) => next.v[place]!);
};

/** The initial value as text; undefined for values that can't be carried over. */
const beginningOf = ({ v }: PageState, at: number): string | undefined => {
  const [kind, json] = v[at] ?? ([-1, null] as ValueRow);
  if (CHANGING.has(kind)) return JSON.stringify([kind, json]);
  if (kind !== SHARED) return undefined;
  const [graph, ...how] = json as [graph: number, root: number, kind: number];
  return CHANGING.has(how[1]!) ? JSON.stringify([how, v[graph]?.[1]]) : undefined;
};
