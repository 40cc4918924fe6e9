/** `<Island>`: components that load and wake at a configured moment instead of at their first event. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

/**
 * `eager`: as soon as the page's loader runs. `visible`: each component when it first appears on screen. `idle`: when the browser
 * is idle. `interaction`: at the first event, as outside of islands.
 */
export type IslandLoad = "eager" | "visible" | "idle" | "interaction";

/** The synthetic event that wakes components at each moment. */
const MOMENTS: Readonly<Record<IslandLoad, string | undefined>> = {
  eager: "load",
  visible: "visible",
  idle: "idle",
  interaction: undefined,
};

export interface IslandProps {
  /** Default: `interaction`. Nested islands have their own setting. */
  load?: IslandLoad;
  /** Components. Each file is one chunk, so put a component in its own file to load it alone. */
  children?: Child;
}

/**
 * Renders its children, which load and wake at the moment `load`.
 * @throws SvcError `SVC_DEFINITION` for an unknown moment.
 * @example
 * <Island load="visible">
 *   <Chart />
 * </Island>
 */
export function Island({ load = "interaction", children }: IslandProps): Markup {
  if (!Object.hasOwn(MOMENTS, load)) {
    const known = Object.keys(MOMENTS).join(", ");
    throw new SvcError("SVC_DEFINITION", `<Island load=${JSON.stringify(load)}>: unknown moment. Use one of ${known}.`);
  }
  return new Html(() => currentRender().scopes.atMoment(MOMENTS[load], () => t(children)));
}
