/**
 * Function props. The server calls the functions directly. The browser gets a reference: an export of a chunk that
 * creates the function, and its captured values. Only the server writes references; it never reads them from a request.
 */
import { noteState } from "../../reactivity/server-store.ts";
import { reader } from "../../reactivity/system.ts";
import { Html } from "../html.ts";
import type { FunctionReference } from "./function-reference.ts";
import type { TemplateInfo } from "../template-info.ts";

const references = new WeakMap<object, FunctionReference>();

/** Records how the browser creates a value. */
export function record(value: object, reference: FunctionReference): void {
  references.set(value, reference);
}

/**
 * Records how the browser creates a function. Called by compiled modules.
 * @param flags of a handler, for the attribute of an element that gets it in a spread. @returns the function
 */
export function fn<Value>(
  block: TemplateInfo,
  symbol: string,
  slots: readonly unknown[],
  run: Value,
  flags?: string,
): Value {
  // `props.onSelect ?? select` may be a function that a parent has recorded already.
  if (typeof run === "function" && !references.has(run))
    references.set(run, { block, symbol, slots, ...(flags && { flags }) });
  return run;
}

/**
 * Records how the browser creates a function or computed that leaves the function around it. Called by compiled modules.
 * @param slots returns the captured values. Some may be declared behind the function.
 * @returns the function or computed
 */
export function lift<Value extends object>(
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  made: Value,
): Value {
  const reference = {
    block,
    symbol,
    get slots() {
      return slots();
    },
  };
  if (!references.has(made)) references.set(made, reference);
  noteState();
  return made;
}

/**
 * As `lift`, for what a call returns that got a function: `debounce(() => …)`. Plain data is sent as such. Called by compiled modules.
 * @returns the value
 */
export function wrapped<Value>(
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  made: Value,
): Value {
  const isObject = typeof made === "object" && made !== null && Object.values(made).some(isCode);
  // The function that `Object.assign` has given members was recorded without them.
  if (typeof made === "function" && Object.keys(made).length > 0) references.delete(made);
  return typeof made === "function" || isObject ? lift(block, symbol, slots, made as Value & object) : made;
}

function isCode(value: unknown): boolean {
  return typeof value === "function";
}

/** Constants of modules whose functions are recorded. */
const known = new WeakSet<object>();

/**
 * Records how the browser finds a function, or the functions in an object, of a constant of the module: by the keys that lead there. Called
 * by compiled modules. @returns the value
 */
export function moduleValue<Value>(
  block: TemplateInfo,
  symbol: string,
  value: Value,
  keys: readonly string[] = [],
): Value {
  if (typeof value === "function") fn(block, symbol, keys, value);
  else if (typeof value === "object" && value !== null && !known.has(value)) {
    known.add(value);
    for (const [key, part] of Object.entries(value)) moduleValue(block, symbol, part, [...keys, key]);
  }
  return value;
}

/**
 * JSX that the browser may have to create: the children of a component, which may show them in a row or branch. Called by compiled modules.
 * @param slots returns the captured values. They reach the page only if the browser may create the JSX.
 */
export function view(block: TemplateInfo, symbol: string, slots: () => readonly unknown[], write: () => string): Html {
  const reference = {
    block,
    symbol,
    get slots() {
      return slots();
    },
  };
  return new Html(write, reference);
}

/** Number of tracked reads of getters that the browser creates. */
export let gettersRead = 0;

/** Object -> such getters, by name. */
const getters = new WeakMap<object, Record<string, () => unknown>>();

/**
 * Records how the browser creates a getter of an object, so that the browser evaluates it again. Called by compiled modules.
 * @param slots returns the captured values. @returns the object
 */
export function getter<Owner extends object>(
  block: TemplateInfo,
  symbol: string,
  slots: () => readonly unknown[],
  name: string,
  owner: Owner,
): Owner {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  // A later property may have replaced it.
  if (!original?.get) return owner;
  const get = lift(block, symbol, slots, function (this: unknown): unknown {
    if (reader) gettersRead++;
    return original.get?.call(this);
  });
  Object.defineProperty(owner, name, { get });
  getters.set(owner, Object.assign(gettersOf(owner) ?? (Object.create(null) as object), { [name]: get }));
  return owner;
}

/** Getters of an object that the browser creates, by name; undefined if it has none. */
export function gettersOf(value: object): Readonly<Record<string, () => unknown>> | undefined {
  return getters.get(value);
}

/** Flags of a handler that apply before its code arrives, if a component gave it: `!` for `event.preventDefault()`. Called by compiled modules. */
export function flagsOf(handler: unknown): string {
  return (typeof handler === "function" && references.get(handler)?.flags) || "";
}

/**
 * Records the flags of a function that `lift` has recorded. Called by compiled modules.
 * @param flags as in `fn`. @param madeFlags those of the handlers that the function returns. @returns the function
 */
export function flagged<Value extends object>(flags: string, madeFlags: string, made: Value): Value {
  const reference = references.get(made);
  if (reference) references.set(made, Object.assign(reference, { flags, madeFlags }));
  return made;
}

/** The same for the handlers that a function makes: `form.handleSubmit(save)`. Called by compiled modules. */
export function madeFlagsOf(maker: unknown): string {
  return (typeof maker === "function" && references.get(maker)?.madeFlags) || "";
}

/** How the browser creates a function, computed or JSX; undefined for other values. */
export function referenceOf(value: unknown): FunctionReference | undefined {
  if (value instanceof Html) return value.reference;
  return typeof value === "function" || (typeof value === "object" && value !== null)
    ? references.get(value)
    : undefined;
}
