/**
 * Values that an author's code has thrown. JavaScript can throw anything, including values that throw again when they are read: an object
 * without a prototype, a revoked proxy, an error with a throwing getter.
 */
import { FinalError } from "./final-error.ts";

/** Message of a thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "It threw a value that can't be read";
  }
}

/**
 * Replaces a value that can't be read by an error, so that the code after it may read any property.
 * @returns the value itself if it can be read. A replacement keeps a readable name and `isFinal`.
 */
export function readableError(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null) return thrown;
  try {
    const { name, message, stack, isFinal, retryAfter } = thrown as Record<string, unknown>;
    // Reads what the policies of retries and the origin of the error read.
    void [String(name), String(message), String(stack), isFinal, retryAfter];
    if (!(thrown instanceof Error)) void String(thrown);
    return thrown;
  } catch {
    return replacement(thrown);
  }
}

function replacement(thrown: unknown): Error {
  const isFinal = read(thrown, "isFinal") === true;
  const message = read(thrown, "message");
  const text = typeof message === "string" ? message : "It threw a value that can't be read";
  const error = isFinal ? new FinalError(text) : new Error(text);
  const name = read(thrown, "name");
  if (typeof name === "string") error.name = name;
  return error;
}

function read(from: unknown, key: string): unknown {
  try {
    return (from as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
