/** Turns a failed build into one error: the compiler's own, or a summary of the bundler's errors. */
import { stripVTControlCharacters } from "node:util";
import { ERRORS, SvcError, type ErrorCode } from "../../../platform/shared/errors.ts";

/**
 * Runs Vite, and reports errors in the app's code as one SvcError.
 * @throws SvcError the compiler's own; `SVC_DEFINITION` for imports that the bundler can't resolve.
 */
export async function unwrapErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw findSvcError(error) ?? bundlerError(error) ?? error;
  }
}

function findSvcError(error: unknown): SvcError | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const own = error instanceof Error && error.name === "SvcError" ? asThrown(error) : undefined;
  if (own) return own;
  const inner = "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  const cause = "cause" in error ? [error.cause] : [];
  return [...inner, ...cause].map(findSvcError).find((found) => found !== undefined);
}

/**
 * Rolldown overwrites the code of a plugin's error and keeps the original as `pluginCode`. Vite's module runner throws a copy that is
 * not an SvcError.
 */
function asThrown(error: Error): SvcError | undefined {
  const code = ["pluginCode" in error ? error.pluginCode : undefined, "code" in error ? error.code : undefined].find(
    isErrorCode,
  );
  if (error instanceof SvcError && error.code === code) return error;
  return code === undefined ? undefined : new SvcError(code, error.message, { cause: error });
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERRORS, value);
}

/**
 * Errors of the bundler, one line each. Code frames are omitted, because they show compiled code with other line numbers.
 */
function bundlerError(error: unknown): SvcError | undefined {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return undefined;
  const lines = error.errors.flatMap(linesOf);
  if (lines.length === 0) return undefined;
  return new SvcError(
    "SVC_DEFINITION",
    `The build failed:\n${lines.join("\n")}\nFix the code, or the imported path or name.`,
    { cause: error },
  );
}

/** The lines of one of the bundler's errors. A failed transformation only counts its errors, which are in it. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const inner = "errors" in error && Array.isArray(error.errors) ? error.errors.filter(hasMessage) : [];
  const file = "id" in error && typeof error.id === "string" ? `${error.id}: ` : "";
  return (inner.length > 0 ? inner : [error]).map(({ message }) => file + firstLine(message));
}

function hasMessage(value: unknown): value is { message: string } {
  return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
}

function firstLine(message: string): string {
  return stripVTControlCharacters(message).split("\n")[0] ?? "";
}
