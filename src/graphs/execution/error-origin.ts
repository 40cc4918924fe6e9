/**
 * Where an error comes from: its causes, and its place in the source of the app. For those who run the app alone, so it is kept
 * beside what is told of a failure, bounded, and names no folder of the machine. Stacks are not kept.
 */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FailureOrigin } from "../../storage/contract/graph-rows.ts";

/** Deeper and wider, nobody reads on. */
const MAX_CAUSES = 8;
const MAX_LENGTH = 300;
/** Of a stack: ten calls, of which the first of the app is looked for. */
const MAX_STACK_LENGTH = 8192;
/** In V8's words: `at name (file:line:column)`, `at file:line:column`. */
const CALL = /^ {4}at (?:.*? \()?((?:file:\/\/)?[^()]+?):(\d+):(\d+)\)?$/;

/** Of errors that were thrown elsewhere: what was known there. */
const known = new WeakMap<Error, FailureOrigin>();

/** Remembers where an error comes from that has crossed over from a thread or another process. */
export function noteOrigin(error: Error, origin: FailureOrigin | undefined): void {
  if (origin) known.set(error, origin);
}

/**
 * @param root folder of the app: what lies outside of it, or in its node_modules, is not its own code. Default: where the process runs
 * @returns undefined: nothing is known beyond the message
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
    // An error whose own properties throw: its message is all there is.
    return undefined;
  }
}

/** What was the cause, of each in turn; of several at once first all that one has. */
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

/** `src/charge.ts:12:9`: the first call of the app's own code. */
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
  // Of the root of all folders everything is inside: then the path would be that of the machine.
  if (inside.startsWith("..") || isAbsolute(inside) || relative(root, "/") === "") return undefined;
  return inside.includes("node_modules") ? undefined : inside.split(sep).join("/");
}
