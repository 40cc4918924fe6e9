/** Development only: rows of a live list that have the same key, which the browser could not tell apart (SVC202). */
import { SvcError } from "../../../platform/shared/errors.ts";
import { renderInProgress } from "../current-page.ts";

/**
 * The list as it is. Called by compiled modules.
 * @param by key of an item.
 * @param where `pages/todo.tsx:12:9` of the key in the source.
 * @throws SvcError SVC202 in development, for two items with one key
 */
export function unique<Item>(list: readonly Item[], by: (item: Item) => unknown, where: string): readonly Item[] {
  if (!renderInProgress()?.isDevelopment) return list;
  const first = new Map<unknown, number>();
  list.forEach((item, at) => {
    const key = by(item);
    const before = first.get(key);
    if (before !== undefined) throw doubleKey(where, key, before, at);
    first.set(key, at);
  });
  return list;
}

function doubleKey(where: string, key: unknown, before: number, at: number): SvcError {
  const reported = typeof key === "string" ? JSON.stringify(key) : String(key);
  return new SvcError(
    "SVC202",
    `SVC202 ${where}\nItems ${before} and ${at} of this list have the same key, ${reported}, so their rows can't be told apart: one would be made anew whenever the list changes. Give each item an id of its own, or leave the key out, and the item itself is used.`,
  );
}
