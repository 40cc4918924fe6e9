/** Turns a failed build into one error: the compiler's own errors, and a summary of the bundler's errors. */
import { stripVTControlCharacters } from "node:util";
import { ERRORS, SvcError, type ErrorCode } from "../../../platform/shared/errors.ts";
import { Problems } from "../problems.ts";
import { bundlerPathProblem } from "./app-path.ts";
import { isEndOfBuild } from "./collect-errors.ts";
import { unresolvedImport } from "./import-errors.ts";

/**
 * Runs Vite, and reports errors in the app's code as one SvcError.
 * @throws SvcError the compiler's own; `SVC_DEFINITION` for imports that the bundler can't resolve.
 */
export async function unwrapErrors<T>(run: () => Promise<T>): Promise<T> {
  const problems = new Problems();
  const result = await keepErrors(problems, run);
  problems.throwAny();
  return result as T;
}

/**
 * Runs Vite, and adds errors in the app's code to `problems`.
 * @param root folder of the app. Without it, unresolved imports have no code frame.
 * @returns undefined if the build failed
 */
export async function keepErrors<T>(problems: Problems, run: () => Promise<T>, root?: string): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    for (const one of svcErrors(error)) problems.add(one);
    const others = bundlerErrors(error, problems.count > 0);
    const unresolved = new Map(
      others.map((one) => [one, root === undefined ? undefined : unresolvedImport(one, root)]),
    );
    for (const found of unresolved.values()) if (found) problems.add(found);
    const rest = summaryOf(
      others.filter((one) => !unresolved.get(one)),
      error,
      root,
    );
    if (rest) problems.add(rest);
    if (problems.count === 0) throw error;
    return undefined;
  }
}

/** The compiler's errors in an error of Vite. */
export function svcErrors(error: unknown): SvcError[] {
  if (typeof error !== "object" || error === null) return [];
  const own = error instanceof Error && error.name === "SvcError" ? asThrown(error) : undefined;
  if (own) return [own];
  const inner = "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  const cause = "cause" in error ? [error.cause] : [];
  return [...inner, ...cause].flatMap(svcErrors);
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

/** @param isKnown whether errors of the compiler are known: a missing export may be their consequence */
function bundlerErrors(error: unknown, isKnown: boolean): unknown[] {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return [];
  const own = error.errors.filter((one) => svcErrors(one).length === 0 && !isEndOfBuild(one));
  return own.filter((one) => !isKnown || !isMissingExport(one));
}

/** Errors of the bundler, one line each. Code frames are omitted, because they show compiled code with other line numbers. */
function summaryOf(errors: readonly unknown[], cause: unknown, root = ""): SvcError | undefined {
  const text = errors.flatMap(linesOf).join("\n");
  if (text === "") return undefined;
  const fix = bundlerPathProblem(root) ?? "Fix the code, or the imported path or name";
  return new SvcError("SVC_DEFINITION", `The build failed:\n${text}\n${fix}.`, { cause });
}

/** The lines of one of the bundler's errors. A failed transformation only counts its errors, which are in it. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const inner = "errors" in error && Array.isArray(error.errors) ? error.errors.filter(hasMessage) : [];
  const file = "id" in error && typeof error.id === "string" ? `${error.id}: ` : "";
  return (inner.length > 0 ? inner : [error]).map(({ message }) => file + firstLine(message));
}

function isMissingExport(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "MISSING_EXPORT";
}

function hasMessage(value: unknown): value is { message: string } {
  return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
}

function firstLine(message: string): string {
  return stripVTControlCharacters(message).split("\n")[0] ?? "";
}
