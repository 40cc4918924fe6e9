/**
 * Function props. The server calls the functions directly. The browser gets a reference: an export of a chunk that
 * creates the function, and its captured values. Only the server writes references; it never reads them from a request.
 */
import type { TemplateInfo } from "../template-info.ts";

export interface FunctionReference {
  block: TemplateInfo;
  /** Export of the chunk that creates the function from its slots. */
  symbol: string;
  slots: readonly unknown[];
}

const references = new WeakMap<object, FunctionReference>();

/** Records how the browser creates a value. */
export function record(value: object, reference: FunctionReference): void {
  references.set(value, reference);
}

/** Records how the browser creates a function. Called by compiled modules. @returns the function */
export function fn<Value>(block: TemplateInfo, symbol: string, slots: readonly unknown[], run: Value): Value {
  // `props.onSelect ?? select` may be a function that a parent has recorded already.
  if (typeof run === "function" && !references.has(run)) references.set(run, { block, symbol, slots });
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
  return made;
}

/** How the browser creates a function or computed; undefined for other values. */
export function referenceOf(value: unknown): FunctionReference | undefined {
  return typeof value === "function" || (typeof value === "object" && value !== null)
    ? references.get(value)
    : undefined;
}
