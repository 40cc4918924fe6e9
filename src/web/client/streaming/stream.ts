/**
 * `stream.js`: takes in what late pieces of a page add to its state (docs/resume-protocol.md section 7). Every scope of such
 * a page needs it, so it is there before anything of the page runs.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { kinds, pageState, values } from "../runtime/core.ts";
import { patchLateHtml } from "./patch-late-html.ts";
// A piece may ask for this file by itself, and then it may be here before the loader has run.
import "../runtime/loader.ts";
import type { MoreState, ValueRow } from "../runtime/types.ts";

/** Rows as the server wrote them, of all that has come; stores change theirs. */
const texts = [document.querySelector(`script#${DOM.stateId}`)!.textContent as string];
const original = (index: number): ValueRow => texts.flatMap((text) => (JSON.parse(text) as MoreState).v)[index]!;

/** A resource (resource.ts). */
interface Awaited {
  _isOpen: boolean;
  _take(from: Awaited): void;
}

/** A resource has come. Those that say that it is on its way hear of it, so they must be awake. */
const settle = (index: number, [kind, json, isShown]: MoreState["u"][string]): void => {
  const row = pageState().v[index]!;
  const known = values[index] as Awaited | undefined;
  // By then something else may have been fetched here.
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
    // What nobody has asked for yet wakes these scopes like all others.
    if (index in values) for (const id of r[index]!) (late[id] ??= []).push(index);
  }
  for (const id in late) patchLateHtml(+id, late[id]!.map(Number), original);
};

const mergeAll = (): void => document.querySelectorAll(`script[${DOM.more}]`).forEach(merge);
mergeAll();
addEventListener(DOM.arrived, mergeAll);
