/** What of a page goes on once it is there: widgets, all over one stream (src/browser/flow/live.ts), which takes only so many. */
import { SvcError } from "../shared/errors.ts";
import { renderInProgress } from "./current.ts";
import type { Render } from "./render.ts";

/** What one stream follows: an address has a length, and a server something to do for each. */
export const MOST_FOLLOWED = 20;

/** Of each page that is being rendered, how many stand in it so far. */
const counts = new WeakMap<Render, number>();

/**
 * @param src address at which an element of the page is followed
 * @returns the same
 * @throws SvcError `SVC_DEFINITION` where the page has more of them than its stream follows: none of them would go on
 */
export function followed(src: string): string {
  const render = renderInProgress();
  if (!render) return src;
  const count = (counts.get(render) ?? 0) + 1;
  if (count > MOST_FOLLOWED)
    throw new SvcError(
      "SVC_DEFINITION",
      `This page has more than ${MOST_FOLLOWED} widgets that are kept up to date, such as <FlowGraph> and <EventStream>: its one stream ` +
        `follows ${MOST_FOLLOWED}. Show the others on further pages, or behind links`,
    );
  counts.set(render, count);
  return src;
}
