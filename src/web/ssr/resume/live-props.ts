/**
 * Live props. The server evaluates a prop once. If its value changes in the browser, the props object also says how the browser makes the
 * value: by an export of a chunk, applied to captured values, as for function props. Compiled components ask for it (emit-live-props.ts).
 */
import { ALL_PROPS, DOM } from "../../../platform/shared/wire.ts";
import { currentRender, renderInProgress } from "../current-page.ts";
import type { TemplateInfo } from "../template-info.ts";
import type { BoundSlots } from "./scopes.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { holdsNested } from "./nested-values.ts";
import { record, referenceOf } from "./function-props.ts";

/** Key of the derived values in a props object, by name. A rest of props and a spread of them have it too. */
export const LIVE: unique symbol = Symbol("live props");

/** A value that the browser makes, and makes again when what it is made from changes. */
export class Derived {
  readonly isDerived = true;
}

/**
 * Marks a prop whose value is an object with state and other data. The members that the component reads decide what the browser gets
 * (held-state.ts).
 */
export class Mixed {
  readonly value: object;
  /** What the browser gets of it, by the members that a component reads. */
  readonly states = new Map<string, object | undefined>();

  constructor(value: object) {
    this.value = value;
  }
}

type Live = Readonly<Record<string, unknown>>;
export interface Props {
  readonly [name: string]: unknown;
  readonly [LIVE]?: Live;
}

/** Stands for the value of a prop that is a function: calling it may read what changes. */
export const CALLED = 1;
/** Stands for the value of a prop that is a function: calling it reads a store, whose objects do not show that they change. */
export const CALLED_FOR_STORE = 2;

/** Adds derived values to a props object. @param given by name; falsy for a prop that is not live */
export function live<Given extends object>(props: Given, given: Live | undefined): Given {
  if (!given) return props;
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!value || !Object.hasOwn(props, name)) continue;
    const own = isFunctionMark(value) ? readingFunction((props as Props)[name], value) : value;
    if (own) found[name] = own;
  }
  return Object.assign(props, { [LIVE]: Object.keys(found).length > 0 ? found : undefined });
}

function isFunctionMark(value: unknown): boolean {
  return value === CALLED || value === CALLED_FOR_STORE;
}

/** A function that the browser can create, if it is made from reactive values. */
function readingFunction(value: unknown, mark: unknown): unknown {
  const reference = referenceOf(value);
  return mark === CALLED_FOR_STORE || reference?.slots.some(isReactive) ? reference && value : undefined;
}

/** Whether a value may change in the browser, or contains one that may. */
export function isReactive(value: unknown): boolean {
  return value instanceof Derived || holdsNested(value);
}

/** @param slots the values that the browser makes it from. */
export function derive(block: TemplateInfo, symbol: string, slots: readonly unknown[]): object {
  const derived = new Derived();
  record(derived, { block, symbol, slots });
  return derived;
}

/** A derived value if one of the props that it reads is live, else `value`. */
export function deriveIf(
  props: Props | undefined,
  reads: string,
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  value: unknown,
): unknown {
  return isLive(props, reads) ? derive(block, symbol, slots()) : value;
}

/** A derived value if what the browser makes it from is reactive. */
export function deriveRead(block: TemplateInfo, symbol: string, slots: readonly unknown[]): object | undefined {
  return slots.some(isReactive) ? derive(block, symbol, slots) : undefined;
}

/** The derived value of a live prop, or the state in it, for a component that gets the prop in turn; undefined for others. */
export function livePart(props: Props | undefined, name: string): unknown {
  return props?.[LIVE]?.[name];
}

/** What browser code captures for a prop. */
export function prop(props: Props | undefined, name: string, value: unknown): unknown {
  const part = livePart(props, name);
  return part instanceof Mixed ? value : (part ?? value);
}

/**
 * What browser code captures for all props of an instance, or the rest of them: the object itself if none of them is live.
 * @param symbol that makes an object from names and values. @param withChildren whether the browser may have to create the children
 */
export function wholeProps(
  props: Props | undefined,
  block: TemplateInfo,
  symbol: string,
  withChildren = false,
): unknown {
  const names = Object.keys(props ?? {});
  if (!props || !names.some((name) => isLive(props, name))) return props;
  // Where the browser gets all props, it creates the children anew.
  const children = withChildren ? props["children"] : undefined;
  const values = names.map((name) => (name === "children" ? children : prop(props, name, props[name])));
  return derive(block, symbol, [names, ...values]);
}

/** Whether one of the props with these names is live. */
export function isLive(props: Props | undefined, names: string): boolean {
  const found = props?.[LIVE];
  return found !== undefined && names.split(" ").some((name) => hasLive(found, name));
}

function hasLive(found: Live, name: string): boolean {
  if (name === ALL_PROPS) return Object.keys(found).some((one) => hasLive(found, one));
  return Object.hasOwn(found, name) && !(found[name] instanceof Mixed);
}

/** Writes content as a range before a comment with `key`, if it reads a live prop. */
export function liveRange(props: Props | undefined, names: string, key: string, html: string): string {
  return liveRows(props, names, key, liveRow(props, names, html));
}

/** Writes a comment with `key` behind rows, if their list reads a live prop. */
export function liveRows(props: Props | undefined, names: string, key: string, html: string): string {
  return props?.[LIVE] && isLive(props, names) ? `${html}<!--${key}-->` : html;
}

/** Writes a row of such a list as a range. */
export function liveRow(props: Props | undefined, names: string, html: string): string {
  if (!props?.[LIVE] || !isLive(props, names)) return html;
  return `<!--${DOM.rangeStart}-->${html}<!--${DOM.rangeEnd}-->`;
}

/**
 * Content that changes and is in no element of its component, as a range before an empty `<template>`, which is its scope.
 * @param attribute of the scope; empty if the content does not change.
 */
export function hosted(attribute: string, html: string): string {
  if (attribute === "") return html;
  return `<!--${DOM.rangeStart}-->${html}<!--${DOM.rangeEnd}--><template${attribute}></template>`;
}

/**
 * The scope attribute of an instance with live props.
 * @param liveBlock the template with bindings of live props.
 * @param conditions names of props for each bit of the mask.
 * @returns undefined if the scope reads no live prop
 */
export function liveScope(
  liveBlock: TemplateInfo,
  bound: BoundSlots,
  props: Props,
  conditions: readonly string[],
  slots: (mask: number) => readonly unknown[],
): string | undefined {
  let mask = 0;
  conditions.forEach((names, at) => {
    if (isLive(props, names)) mask |= 2 ** at;
  });
  const values = slots(mask);
  if (mask === 0 && !values.some((value) => value instanceof Derived)) return undefined;
  return currentRender().scopes.add(liveBlock, bound, values);
}

/**
 * Returns the value of an expression that is evaluated once. Called by modules compiled for development.
 * @param where position of the expression. @param source its source text.
 * @throws SvcError SVC205 if it reads a live prop
 */
export function frozen<Value>(
  props: Props | undefined,
  names: string,
  where: string,
  source: string,
  value: Value,
): Value {
  if (!isLive(props, names)) return value;
  throw new SvcError(
    "SVC205",
    `SVC205 ${where}\n${source} reads a prop that changes in the browser, but this output is rendered only once. ` +
      `Show the prop inside an element of this component, as text, an attribute or a condition of JSX. ` +
      `If the output should stay as it is, write untrack(() => ${source}).`,
  );
}

/** @throws SvcError SVC205 in development if a component that can't follow props gets live ones. @param component its name; may be empty */
export function refuseFrozen(props: object, names: string, component: string): void {
  if (!renderInProgress()?.isDevelopment || !isLive(props as Props, names)) return;
  const fix = component
    ? "Show them inside an element of a component in a TSX file: <div>{props.children}</div>."
    : "Make it a component: const Cell = (props) => <b>{props.text}</b>.";
  throw new SvcError(
    "SVC205",
    `SVC205 ${component ? `<${component}>` : "A function without a name"} gets ${names === ALL_PROPS ? "props" : names} ` +
      `that change in the browser, but it shows them only once. ${fix}`,
  );
}
