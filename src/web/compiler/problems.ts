/**
 * Collects errors, so that a build reports all of them at once. After a failed step the compiler continues with the next attribute, child,
 * handler or component. What it emits then is incomplete and is never used.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import { Diagnostic } from "./diagnostics.ts";

/** Most errors that are shown of one file. */
const MAX_SHOWN = 20;

/** Begins the line that counts the errors of a message. */
const COUNT = "Fix";

export class Problems {
  readonly #found: SvcError[] = [];

  get count(): number {
    return this.#found.length;
  }

  /** Whether all errors have a position in the app's source. */
  get hasOnlyPositions(): boolean {
    return this.#found.every((error) => error instanceof Diagnostic);
  }

  add(error: SvcError): void {
    this.#found.push(...allOf(error));
  }

  /** Runs one step, and keeps its error. @returns undefined if the step failed */
  attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (error instanceof SvcError) this.add(error);
      // A step may find the gap that an earlier one has left. Without an earlier one it is a bug of svc.
      else if (this.count === 0) throw error;
      return undefined;
    }
  }

  /** @returns one error with all that were found; undefined if there were none */
  take(): SvcError | undefined {
    return combined(this.#found.splice(0));
  }

  /** @throws SvcError with all errors that were found */
  throwAny(): void {
    const error = this.take();
    if (error) throw error;
  }
}

/** Several errors as one. Its code is that of the first. */
class CombinedError extends SvcError {
  readonly all: readonly SvcError[];

  constructor(first: SvcError, message: string, all: readonly SvcError[]) {
    super(first.code, message);
    this.all = all;
  }
}

function allOf(error: SvcError): readonly SvcError[] {
  return error instanceof CombinedError ? error.all : [error];
}

/** Errors of the same cause: the first one, and the positions of all. */
interface Group {
  first: SvcError;
  places: string[];
}

/** A single error stays as it is. */
function combined(errors: readonly SvcError[]): SvcError | undefined {
  const files = filesOf(distinct(errors));
  const all = [...files.values()].flat();
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  const shown = [...files.values()].flatMap((found) => groupsOf(found.slice(0, MAX_SHOWN)).map(messageOf));
  return new CombinedError(first, [...shown, countOf(files, all.length)].join("\n\n"), all);
}

/** A later error at the position of an earlier one is a consequence of it. */
function distinct(errors: readonly SvcError[]): SvcError[] {
  const known = new Set<string>();
  return errors.filter((error) => {
    const key = error instanceof Diagnostic ? error.place : error.message;
    return !known.has(key) && known.add(key);
  });
}

/** Errors by file, sorted by position. Errors without a position are last. */
function filesOf(errors: readonly SvcError[]): Map<string, SvcError[]> {
  const files = new Map<string, SvcError[]>();
  for (const error of [...errors].sort(byPosition)) {
    const path = error instanceof Diagnostic ? error.path : "";
    files.set(path, [...(files.get(path) ?? []), error]);
  }
  return files;
}

function byPosition(left: SvcError, right: SvcError): number {
  if (!(left instanceof Diagnostic) || !(right instanceof Diagnostic))
    return Number(right instanceof Diagnostic) - Number(left instanceof Diagnostic);
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

/** Joins errors with the same text. */
function groupsOf(errors: readonly SvcError[]): Group[] {
  const groups = new Map<string, Group>();
  for (const error of errors) {
    const key = error instanceof Diagnostic ? `${error.code} ${error.text}` : error.message;
    const group = groups.get(key) ?? { first: error, places: [] };
    groups.set(key, group);
    if (error instanceof Diagnostic) group.places.push(error.place);
  }
  return [...groups.values()];
}

function messageOf({ first, places: [, ...others] }: Group): string {
  return first instanceof Diagnostic && others.length > 0
    ? first.withLine(`Also at ${others.join(", ")}.`).message
    : first.message;
}

function countOf(files: ReadonlyMap<string, readonly SvcError[]>, count: number): string {
  const [only = ""] = files.keys();
  const place = files.size > 1 ? `${files.size} files` : only;
  const isCut = [...files.values()].some(({ length }) => length > MAX_SHOWN);
  const cut = isCut ? `; the first ${MAX_SHOWN} of each file are shown` : "";
  return `${COUNT} ${count} errors${place === "" ? "" : ` in ${place}`}${cut}.`;
}

/** @returns the messages of the single errors in a message */
export function splitMessage(message: string): string[] {
  return message.split(/\n\n(?=SVC[\dA-Z_]+ [^\n]+:\d+:\d+\n)/).map((part) => part.replace(COUNT_LINE, ""));
}

const COUNT_LINE = new RegExp(`\n\n${COUNT} \\d+ errors[^\\n]*$`);
