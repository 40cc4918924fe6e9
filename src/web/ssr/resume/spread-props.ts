/**
 * Spreads of props on elements of a server component: `<button {...rest}>`. The browser gets the handlers among them, and the props that
 * change (src/web/client/created/spread.ts binds them). The other attributes are written once.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { spreadEvent } from "../../../platform/shared/html/spread-events.ts";
import { mayBeSpread } from "../../../platform/shared/html/spread-names.ts";
import { isRef } from "../../jsx/ref.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { currentRender } from "../current-page.ts";
import type { TemplateInfo } from "../template-info.ts";
import { referenceOf } from "./function-props.ts";
import { derive, isLive, isReactive, prop } from "./live-props.ts";
import { over, spread } from "../write.ts";

const REF = "ref";
/** Written like `class`, and not as a text. */
const STYLE = "style";

type Props = Readonly<Record<string, unknown>>;

/** Returns the derived value of an object that is spread: of a call, or of a live prop; undefined if the prop is not live. */
type Again = () => object | undefined;

/** Attributes of the handlers that the browser can create. If it makes the object itself, these are all. */
function handlersOf(props: Props, skip: readonly string[], made: boolean | Again): string {
  let out = "";
  const isMade = typeof made === "function" ? madeAgain(props, skip, made) !== undefined : made;
  const names = isMade ? Object.keys(props ?? {}).filter((name) => !skip.includes(name)) : boundNames(props, skip);
  for (const name of names) {
    const event = spreadEvent(name, props);
    if (event === undefined || typeof props[name] !== "function") continue;
    currentRender().events.add(event.type);
    const flags = (referenceOf(props[name])?.flags ?? "") + event.flag;
    out += ` ${DOM.on}${event.type}="${flags}${DOM.createdHandler}"`;
  }
  return out;
}

/**
 * As `spread`, with the handlers that the browser binds.
 * @param made whether the browser makes the object itself; for the object of a call, how
 */
export function boundSpread(
  props: Props,
  skip: readonly string[],
  tag?: string,
  made: boolean | Again = false,
): string {
  return spread(props, skip, tag) + handlersOf(props, skip, made);
}

/** As `over`, with the handlers that the browser binds. */
export function boundOver(
  before: Readonly<Record<string, string>>,
  props: Props,
  skip: readonly string[],
  tag?: string,
  made: boolean | Again = false,
): string {
  return over(before, props, skip, tag) + handlersOf(props, skip, made);
}

/** The derived value of a call if the browser has to call it again: what it uses may change, or the browser can't create its handlers alone. */
function madeAgain(props: Props, skip: readonly string[], again: Again): object | undefined {
  const value = again();
  if (value === undefined) return undefined;
  const isCalled =
    // A store has no reference: the browser follows it as it is.
    referenceOf(value)?.slots.some(isReactive) !== false ||
    Object.keys(props ?? {}).some(
      (name) => !skip.includes(name) && spreadEvent(name) !== undefined && isUnknown(props[name]),
    );
  return isCalled ? value : undefined;
}

/** Whether a handler is a function that the browser can't create. */
function isUnknown(handler: unknown): boolean {
  return typeof handler === "function" && referenceOf(handler) === undefined;
}

/** Name of a handler that the browser can't create; undefined if there is none. */
export function unknownHandler(props: Props): string | undefined {
  return Object.keys(props).find((name) => spreadEvent(name) !== undefined && isUnknown(props[name]));
}

function boundNames(props: Props, skip: readonly string[]): string[] {
  return Object.keys(props ?? {}).filter((name) => {
    if (skip.includes(name)) return false;
    if (name === REF) return isRef(props[name]) || referenceOf(props[name]) !== undefined || isLive(props, name);
    if (spreadEvent(name) !== undefined) return referenceOf(props[name]) !== undefined;
    return (name === STYLE || mayBeSpread(name)) && isLive(props, name);
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
    if (typeof value !== "function" || skip.includes(name) || spreadEvent(name) === undefined) continue;
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
export function bindsSome(props: Props, skip: readonly string[], again?: Again): boolean {
  return (again && madeAgain(props, skip, again) !== undefined) || boundNames(props, skip).length > 0;
}

/**
 * The props that the browser binds, as a derived value of an object; 0 if there are none.
 * @param symbol that makes it from names and values. @param again makes the object of a call
 */
export function boundProps(
  props: Props,
  skip: readonly string[],
  block: TemplateInfo,
  symbol: string,
  again?: Again,
): unknown {
  const made = again && madeAgain(props, skip, again);
  if (made) return made;
  const names = boundNames(props, skip);
  if (names.length === 0) return 0;
  return derive(block, symbol, [names, ...names.map((name) => prop(props, name, props[name]))]);
}
