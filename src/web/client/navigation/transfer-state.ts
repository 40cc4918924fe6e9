/**
 * `reseat.js`: the living state of a page whose document becomes another one's (page-swap.ts), for pages on which something has
 * happened: core is there. Every scope of the new document is a new one, with an id that no scope here has had. What the page
 * made of a value goes on where the element of its scope stays and the server still begins with the same.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { kinds, pageState, slotsAt, unboundRows, valueAt, values } from "../runtime/core.ts";
import { patchLateHtml } from "../streaming/patch-late-html.ts";
import { stateOf } from "./fetched-page.ts";
import type { PageState, ValueRow } from "../runtime/types.ts";

/** A kind of values that no server writes: those that go on. */
const CARRIED = 99;
/** Kinds that hold what the page may have changed: signals, stores, and either of an encoded value; shared ones are told by theirs. */
const CHANGING = new Set([0, 2, 5, 6]);
const SHARED = 10;

/** A scope as it was before. */
interface Before {
  chunk: string;
  indices: readonly number[];
  isAwake: boolean;
}

/** What the page works with: more than its script says, once late pieces have come. */
export const current = (): PageState => pageState();

/** What there was, once the page has become the other one. */
export interface Living {
  /** Rows as the server wrote them. */
  state: PageState;
  scopes: Map<Element, Before>;
  /** With holes: what nobody has asked for is not made yet. */
  values: unknown[];
}

/** Of a page where nothing is interactive. */
const EMPTY: PageState = { csrf_token: "", build: "", s: {}, v: [], n: {} };

// Parsed while its script is there.
pageState();

let carried: unknown[] = [];
kinds[CARRIED] = (place: number) => carried[place];

/** Ends what is bound, before the document changes. @param isKept whether a scope's state may go on */
export const leave = (isKept: (root: Element) => boolean): Living => {
  const state = stateOf(document) ?? EMPTY;
  const scopes = new Map<Element, Before>();
  for (const root of document.querySelectorAll(`[${DOM.scope}]:not([${DOM.portal}])`)) {
    const [chunk = "", , ...indices] = state.s[root.getAttribute(DOM.scope)!.split(" ")[0]!] || [];
    const slots = slotsAt.get(root);
    if (isKept(root)) scopes.set(root, { chunk, indices, isAwake: slots !== undefined });
    slots?._end?.();
  }
  return { state, scopes, values: values.slice() };
};

/** Takes the state of the document that this one has become. */
export const enter = (before: Living): void => {
  for (const element of document.querySelectorAll("*")) slotsAt.delete(element);
  unboundRows.clear();
  const next = stateOf(document);
  if (!next) return;
  const isSame = (from: number, to: number): boolean => {
    const begins = beginningOf(before.state, from);
    return begins !== undefined && begins === beginningOf(next, to);
  };
  // What the page works with; what the server wrote stays in the script.
  const { csrf_token } = pageState();
  const state = Object.assign(pageState(), stateOf(document));
  // A page that many share has none.
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
      // Without scopes of its own: those that show it are woken here, and those of the page before are gone.
      state.v[place] = [CARRIED, carried.push(before.values[from]) - 1, []];
      valueAt(place);
    });
  }
  wakeAll(next, kept, wasAwake);
};

/** Scopes that show what has gone on are woken, as if it were what the server wrote them with; then they show what it is. */
const wakeAll = (next: PageState, kept: ReadonlySet<number>, wasAwake: readonly string[]): void => {
  const shown = new Map<string, number[]>(wasAwake.map((id) => [id, []]));
  for (const place of kept) {
    for (const id of next.v[place]![2] ?? []) shown.set(String(id), [...(shown.get(String(id)) ?? []), place]);
  }
  for (const [id, places] of shown) patchLateHtml(id, places, (place) => next.v[place]!);
};

/** What a value begins with, as text; undefined for what can't go on. */
const beginningOf = ({ v }: PageState, at: number): string | undefined => {
  const [kind, json] = v[at] ?? ([-1, null] as ValueRow);
  if (CHANGING.has(kind)) return JSON.stringify([kind, json]);
  if (kind !== SHARED) return undefined;
  const [graph, ...how] = json as [graph: number, root: number, kind: number];
  return CHANGING.has(how[1]!) ? JSON.stringify([how, v[graph]?.[1]]) : undefined;
};
