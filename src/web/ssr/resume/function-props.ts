/**
 * Functions that components are given as props named `on…`: the server calls them as they are; the browser is told which export
 * of which chunk makes them, from which values. Only the server writes such references, none is ever read from a request.
 */
import type { TemplateInfo } from "../template-info.ts";

export interface FunctionReference {
  block: TemplateInfo;
  /** Export of the chunk that makes the function from its slots. */
  symbol: string;
  slots: readonly unknown[];
}

const references = new WeakMap<object, FunctionReference>();

/** Notes how the browser makes a function. Called by compiled modules. @returns the function */
export function fn<Value>(block: TemplateInfo, symbol: string, slots: readonly unknown[], run: Value): Value {
  if (typeof run === "function") references.set(run, { block, symbol, slots });
  return run;
}

export function referenceOf(value: unknown): FunctionReference | undefined {
  return typeof value === "function" ? references.get(value) : undefined;
}
