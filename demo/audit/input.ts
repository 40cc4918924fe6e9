/** Validates the inputs of workers: a start over the API or with `svc graph` may pass any value, or none. */
import { FinalError } from "svckit/graph";

export type Fields = Readonly<Record<string, unknown>>;

/**
 * @param takes a description of the valid input
 * @param keys required keys of the input
 * @throws FinalError because a retry with the same input cannot help
 */
export function requireInput<T extends object>(input: T, takes: string, keys: readonly (keyof T & string)[]): void {
  const given: unknown = input;
  if (!isFields(given)) throw new FinalError(`The input must be ${takes}, but it is ${kindOf(given)}.`);
  const missing = keys.find((key) => given[key] === undefined);
  if (missing !== undefined) throw new FinalError(`The input must be ${takes}, but its "${missing}" is missing.`);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" && value === "" ? "an empty text" : `a ${typeof value}`;
}
