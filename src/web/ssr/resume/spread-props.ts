/**
 * Spreads of props on elements of a server component: `<button {...rest}>`. The browser gets the handlers among them, and the props that
 * change (src/web/client/created/spread.ts binds them). The other attributes are written once.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { mayBeSpread } from "../../../platform/shared/html/spread-names.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { currentRender } from "../current-page.ts";
import type { TemplateInfo } from "../template-info.ts";
import { referenceOf } from "./function-props.ts";
import { derive, livePart } from "./live-props.ts";
import { over, spread } from "../write.ts";

type Props = Readonly<Record<string, unknown>>;

/** `onClick` -> `click`, `onWindowResize` -> `window:resize`; undefined for other names. */
function eventOf(name: string): string | undefined {
  const [, target, event] = /^on(Window|Document)?([A-Z]\w*)$/.exec(name) ?? [];
  if (event === undefined) return undefined;
  return (target === undefined ? "" : DOM.window) + event.toLowerCase().replace(/^doubleclick$/, "dblclick");
}

/** Attributes of the handlers that the browser can create. If it makes the object itself, these are all. */
function handlersOf(props: Props, skip: readonly string[], isLive: boolean): string {
  let out = "";
  const names = isLive ? Object.keys(props ?? {}).filter((name) => !skip.includes(name)) : boundNames(props, skip);
  for (const name of names) {
    const event = eventOf(name);
    if (event === undefined || typeof props[name] !== "function") continue;
    currentRender().events.add(event);
    out += ` ${DOM.on}${event}="${DOM.createdHandler}"`;
  }
  return out;
}

/** As `spread`, with the handlers that the browser binds. @param isLive whether the browser makes the object itself */
export function boundSpread(props: Props, skip: readonly string[], tag?: string, isLive = false): string {
  return spread(props, skip, tag) + handlersOf(props, skip, isLive);
}

/** As `over`, with the handlers that the browser binds. */
export function boundOver(
  before: Readonly<Record<string, string>>,
  props: Props,
  skip: readonly string[],
  tag?: string,
  isLive = false,
): string {
  return over(before, props, skip, tag) + handlersOf(props, skip, isLive);
}

function boundNames(props: Props, skip: readonly string[]): string[] {
  return Object.keys(props ?? {}).filter((name) => {
    if (skip.includes(name)) return false;
    if (eventOf(name) !== undefined) return referenceOf(props[name]) !== undefined;
    return mayBeSpread(name) && livePart(props, name) !== undefined;
  });
}

/**
 * Returns the object of a spread. Called by modules compiled for development.
 * @param isBound whether the browser binds the handlers that it can create. @param where position of the object. @param source its source text
 * @throws SvcError SVC201 for a handler that the browser would not have
 */
export function handled<Given>(
  props: Given,
  skip: readonly string[],
  isBound: boolean,
  where: string,
  source: string,
): Given {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value !== "function" || skip.includes(name) || eventOf(name) === undefined) continue;
    if (isBound && referenceOf(value) !== undefined) continue;
    throw new SvcError(
      "SVC201",
      `SVC201 ${where}\n{...${source}} contains the handler ${name}, which the browser can't create from here. ` +
        `Write it as an attribute: ${name}={…}, or spread an object that a hook returns, by its name: const attributes = use…(); and {...attributes}.`,
    );
  }
  return props;
}

/** Whether the browser has to bind some of the props. */
export function bindsSome(props: Props, skip: readonly string[]): boolean {
  return boundNames(props, skip).length > 0;
}

/** The props that the browser binds, as a derived value of an object; 0 if there are none. @param symbol that makes it from names and values */
export function boundProps(props: Props, skip: readonly string[], block: TemplateInfo, symbol: string): unknown {
  const names = boundNames(props, skip);
  if (names.length === 0) return 0;
  return derive(block, symbol, [names, ...names.map((name) => livePart(props, name) ?? props[name])]);
}
