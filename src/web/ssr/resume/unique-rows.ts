/** Development only: rejects rows of a reactive list that have the same key, because the browser could not distinguish them (SVC202). */
import { SvcError } from "../../../platform/shared/errors.ts";
import { renderInProgress } from "../current-page.ts";

/**
 * Returns the list unchanged. Called by compiled modules.
 * @param by returns the key of an item.
 * @param where position of the key in the source: `pages/todo.tsx:12:9`.
 * @throws SvcError SVC202 in development, if two items have the same key
 */
export function unique<Item>(
  list: readonly Item[],
  by: (item: Item, index: number) => unknown,
  where: string,
): readonly Item[] {
  if (!renderInProgress()?.isDevelopment) return list;
  const first = new Map<unknown, number>();
  list.forEach((item, at) => {
    const key = by(item, at);
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
    `SVC202 ${where}\nItems ${before} and ${at} of this list have the same key, ${reported}, so the browser can't distinguish their rows and would recreate one of them whenever the list changes. Give each item a unique id, or omit the key: svc then uses the item itself.`,
  );
}
