/** `<Island>`: components whose code is fetched at a moment of its own, and which wake then instead of at their first event. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

/**
 * `eager`: as soon as the page's loader has run. `visible`: each component when it is first on screen. `idle`: when the browser
 * has nothing better to do. `interaction`: at its first event, as everywhere.
 */
export type IslandLoad = "eager" | "visible" | "idle" | "interaction";

/** The event that the loader makes up for each moment. */
const MOMENTS: Readonly<Record<IslandLoad, string | undefined>> = {
  eager: "load",
  visible: "visible",
  idle: "idle",
  interaction: undefined,
};

export interface IslandProps {
  /** Default: `interaction`. The islands inside of an island have moments of their own. */
  load?: IslandLoad;
  /** Components; a chunk is a file's, so one in a file of its own is fetched alone. */
  children?: Child;
}

/**
 * Its children, whose code comes at the moment that `load` names.
 * @throws SvcError `SVC_DEFINITION` for a moment that there isn't.
 */
export function Island({ load = "interaction", children }: IslandProps): Markup {
  if (!Object.hasOwn(MOMENTS, load)) {
    const known = Object.keys(MOMENTS).join(", ");
    throw new SvcError(
      "SVC_DEFINITION",
      `<Island load=${JSON.stringify(load)}> knows no such moment; there are ${known}.`,
    );
  }
  return new Html(() => currentRender().scopes.atMoment(MOMENTS[load], () => t(children)));
}
