/** The rows of a `<For virtual>` that the server writes: a first window, which the browser goes on from. Called by compiled modules. */
import type { VirtualOptions } from "../../jsx/control-flow.ts";

/** As many as a tall window shows of low rows. */
const FIRST = 30;

/** @param row writes one, given its place in the whole list. */
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
