/** Writes the first window of rows of a `<For virtual>`; the browser renders the others. Called by compiled modules. */
import type { VirtualOptions } from "../../jsx/control-flow.ts";

/** Default row count: fills a tall window with short rows. */
const FIRST = 30;

/** @param row writes one row; `index` is its position in the whole list. */
export function virtual<Item>(
  list: readonly Item[],
  row: (item: Item, index: number) => string,
  options: VirtualOptions | true,
): string {
  const { first = FIRST, start = 0 } = options === true ? {} : options;
  const begin = Math.max(0, Math.min(start, list.length - first));
  let html = "";
  for (let at = begin; at < Math.min(begin + first, list.length); at++) html += row(list[at] as Item, at);
  return html;
}
