/**
 * Finds the layouts that two pages share. The server marks the content of each layout with comments that nest as the layouts do
 * (src/web/ssr/components/outlet.ts). Pages share layouts from the outermost inwards, up to the first key that differs.
 */
import { DOM } from "../../../platform/shared/wire.ts";

/** The text of a comment in a page. */
export interface Mark {
  data: string;
}

/** The content of a layout: the nodes between two comments. */
export interface Outlet<At extends Mark> {
  key: string;
  start: At;
  end: At;
}

/**
 * @param comments of a page, in document order
 * @returns layouts, outermost first. The list ends at a layout that shows its content twice; it is empty if the comments do not pair up.
 */
export const outletsOf = <At extends Mark>(comments: Iterable<At>): Outlet<At>[] => {
  const found: Outlet<At>[] = [];
  const open: Outlet<At>[] = [];
  let deepest = Infinity;
  for (const at of comments) {
    if (at.data.startsWith(DOM.slot)) {
      const outlet = { key: at.data.slice(DOM.slot.length), start: at, end: at };
      const depth = open.push(outlet);
      // A second outlet at this depth: the two can't both be the content of the layout.
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

/** The innermost layout that both pages have, provided that they share all layouts around it. */
export const sharedOutlet = <At extends Mark>(
  here: readonly Outlet<At>[],
  next: readonly Outlet<At>[],
): Outlet<At> | undefined => {
  let depth = 0;
  while (here[depth] && here[depth]!.key === next[depth]?.key) depth++;
  return here[depth - 1];
};
