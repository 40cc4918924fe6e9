/**
 * Gives the scopes of a new page ids that this document has never used. Core tracks awake scopes by id, and an event that waits for code
 * refers to its scope by id, so an id must never be reused.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { stateOf, writeState } from "./fetched-page.ts";
import type { PageState } from "../runtime/types.ts";

let taken = 0;

const roots = (page: ParentNode): Element[] => [
  ...page.querySelectorAll(`[${DOM.scope}]`),
  ...[...page.querySelectorAll("template")].flatMap(({ content }) => roots(content)),
];

const takeIdsOf = ({ s }: PageState): void => {
  taken = Math.max(taken, ...Object.keys(s).map(Number));
};

/** @param current state of the page that is shown; undefined if nothing on it is interactive. */
export function renumber(next: Document, current: PageState | undefined): void {
  if (current) takeIdsOf(current);
  const state = stateOf(next);
  if (!state) return;
  const from = taken;
  const moved = <Value>(record: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [Number(id) + from, value]));
  for (const root of roots(next)) {
    const [id, ...names] = root.getAttribute(DOM.scope)!.split(" ");
    root.setAttribute(DOM.scope, [Number(id) + from, ...names].join(" "));
  }
  state.s = moved(state.s);
  state.n = moved(state.n);
  for (const row of state.v) if (row[2]) row[2] = row[2].map((id) => id + from);
  writeState(next, state);
  takeIdsOf(state);
}
