/**
 * Which layouts two pages have in common. The server marks the content of each (src/web/ssr/components/outlet.ts) by comments that nest as
 * the layouts do; what they have in common ends where keys differ first.
 */
import { DOM } from "../../../platform/shared/wire.ts";

/** A comment of a page, by what it says. */
export interface Mark {
  data: string;
}

/** The content of a layout: all between two marks. */
export interface Outlet<At extends Mark> {
  key: string;
  start: At;
  end: At;
}

/**
 * @param comments of a page, in its order
 * @returns outermost first. A layout that shows its content twice, or marks that don't pair up, end the list: from there on
 * nothing is known to be the same.
 */
export const outletsOf = <At extends Mark>(comments: Iterable<At>): Outlet<At>[] => {
  const found: Outlet<At>[] = [];
  const open: Outlet<At>[] = [];
  let deepest = Infinity;
  for (const at of comments) {
    if (at.data.startsWith(DOM.slot)) {
      const outlet = { key: at.data.slice(DOM.slot.length), start: at, end: at };
      const depth = open.push(outlet);
      // The second of two beside each other: both can't be the content.
      if (found.length >= depth) found.length = deepest = depth - 1;
      else if (depth <= deepest) found.push(outlet);
    } else if (at.data === DOM.slotEnd) {
      const outlet = open.pop();
      if (!outlet) return [];
      outlet.end = at;
    }
  }
  return open.length ? [] : found;
};

/** The innermost that both pages have, with all those around it. */
export const sharedOutlet = <At extends Mark>(
  here: readonly Outlet<At>[],
  next: readonly Outlet<At>[],
): Outlet<At> | undefined => {
  let depth = 0;
  while (here[depth] && here[depth]!.key === next[depth]?.key) depth++;
  return here[depth - 1];
};
