/**
 * Origin of an error: its causes and its position in the app's source. For operators only, so it is stored beside the public failure, has
 * a limited size, and names no folder of the machine. Stacks are not stored.
 */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FailureOrigin } from "../../storage/contract/graph-rows.ts";

/** More causes are not useful to a reader. */
const MAX_CAUSES = 8;
const MAX_LENGTH = 300;
/** Limits for the part of a stack in which the first call of the app is searched. */
const MAX_STACK_LENGTH = 8192;
/** A stack line of V8: `at name (file:line:column)`, `at file:line:column`. */
const CALL = /^ {4}at (?:.*? \()?((?:file:\/\/)?[^()]+?):(\d+):(\d+)\)?$/;

/** Origins of errors from another thread or process. */
const known = new WeakMap<Error, FailureOrigin>();

/** Records the origin of an error that came from another thread or process. */
export function noteOrigin(error: Error, origin: FailureOrigin | undefined): void {
  if (origin) known.set(error, origin);
}

/**
 * @param root folder of the app. Files outside of it or in its node_modules are not the app's code. Default: the working directory
 * @returns undefined if only the message is known
 */
export function originOf(error: unknown, root = process.cwd()): FailureOrigin | undefined {
  if (!(error instanceof Error)) return undefined;
  const noted = known.get(error);
  if (noted) return noted;
  try {
    const causes = causesOf(error);
    const texts = causes.map(textOf);
    const place = [error, ...causes].map((one) => placeOf(one, root)).find((found) => found !== undefined);
    if (texts.length === 0 && place === undefined) return undefined;
    return { causes: texts, ...(place !== undefined && { place }) };
  } catch {
    // The error's own properties throw: only its message is known.
    return undefined;
  }
}

/** Causes in turn; of an error with several causes, all of them first. */
function causesOf(error: Error): unknown[] {
  const seen = new Set<unknown>([error]);
  const take = (from: unknown): void => {
    if (!(from instanceof Error)) return;
    for (const one of [...(from instanceof AggregateError ? from.errors : []), from.cause] as unknown[]) {
      if (seen.size > MAX_CAUSES || one === undefined || seen.has(one)) continue;
      seen.add(one);
      take(one);
    }
  };
  take(error);
  return [...seen].slice(1);
}

function textOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : "";
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}${code}` : String(cause);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** `src/charge.ts:12:9`: the first call in the app's own code. */
function placeOf(error: unknown, root: string): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
  const calls = error.stack.slice(`${error.name}: ${error.message}`.length).slice(0, MAX_STACK_LENGTH);
  for (const line of calls.split("\n")) {
    const [, file, row, column] = CALL.exec(line) ?? [];
    const inside = file === undefined ? undefined : insideOf(root, file);
    if (inside !== undefined) return `${inside}:${row}:${column}`;
  }
  return undefined;
}

function insideOf(root: string, file: string): string | undefined {
  if (!file.startsWith("file:") && !isAbsolute(file)) return undefined;
  const path = file.startsWith("file:") ? fileURLToPath(file) : file;
  const inside = relative(root, path);
  // With the root folder as app folder, the path would name folders of the machine.
  if (inside.startsWith("..") || isAbsolute(inside) || relative(root, "/") === "") return undefined;
  return inside.includes("node_modules") ? undefined : inside.split(sep).join("/");
}
