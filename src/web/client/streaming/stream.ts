/**
 * `stream.js`: merges the state of deferred content into the page's (docs/resume-protocol.md section 7). Every scope of such
 * a page names this module, so it is loaded before any code of the page runs.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { kinds, pageState, values } from "../runtime/core.ts";
import { patchLateHtml } from "./patch-late-html.ts";
// Deferred content may request this file itself, possibly before the loader has run.
import "../runtime/loader.ts";
import type { MoreState, ValueRow } from "../runtime/types.ts";

/** All state scripts so far, as the server wrote them. Stores modify the parsed rows, so the text is kept. */
const texts = [document.querySelector(`script#${DOM.stateId}`)!.textContent as string];
const original = (index: number): ValueRow => texts.flatMap((text) => (JSON.parse(text) as MoreState).v)[index]!;

/** A resource (resource.ts). */
interface Awaited {
  _isOpen: boolean;
  _take(from: Awaited): void;
}

/** A resource has settled. Scopes that show it as pending must be woken so that they update. */
const settle = (index: number, [kind, json, isShown]: MoreState["u"][string]): void => {
  const row = pageState().v[index]!;
  const known = values[index] as Awaited | undefined;
  // The browser may have fetched a newer value meanwhile.
  if (known && !known._isOpen) return;
  if (known) known._isOpen = false;
  const take = (): void => {
    (values[index] as Awaited | undefined)?._take(kinds[kind]!(json as never) as Awaited);
    row.splice(0, 2, kind, json);
  };
  const ids = [...(row[2] ?? [])];
  if (!(known || isShown) || !ids[0]) return take();
  row[1] = { w: 1 };
  ids.forEach((id, at) => patchLateHtml(id, [], original, ids[at + 1] ? undefined : take));
};

const merge = (script: Element): void => {
  const text = script.textContent as string;
  const { s, v, r, n, u } = JSON.parse(text) as MoreState;
  const state = pageState();
  script.remove();
  texts.push(text);
  Object.assign(state.s, s);
  Object.assign(state.n, n);
  state.v.push(...v);
  if (__DEV__) state.d?.push(...((JSON.parse(text) as MoreState).d ?? []));
  for (const index in u) settle(+index, u[index]!);
  const late: Record<number, string[]> = {};
  for (const index in r) {
    const row = state.v[+index]!;
    row[2] = [...(row[2] ?? []), ...r[index]!];
    // A value that has not been created yet wakes these scopes on its first write, like any other.
    if (index in values) for (const id of r[index]!) (late[id] ??= []).push(index);
  }
  for (const id in late) patchLateHtml(+id, late[id]!.map(Number), original);
};

const mergeAll = (): void => document.querySelectorAll(`script[${DOM.more}]`).forEach(merge);
mergeAll();
addEventListener(DOM.arrived, mergeAll);
