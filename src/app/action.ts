/**
 * Server actions: functions on the server that browser code calls as if they were its own. Owns their definition and
 * the check of their arguments; endpoints/action.ts owns the way over HTTP (contract section 5).
 */
import { SvcError, type Issue } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";

/** The part of Standard Schema v1 (standardschema.dev) used here; valibot, zod and arktype schemas fit. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const RUN = Symbol("svc.action");

/** Called by browser code (a POST) or on the server (a plain call); typed as the function it was made from. */
export interface Action<Args extends readonly unknown[] = readonly unknown[], Value = unknown> {
  (...args: Args): Promise<Value>;
  /** Runs it with arguments from outside, checked first. */
  readonly [RUN]: (args: readonly Json[]) => Promise<unknown>;
}

/** Any action, whatever its arguments. */
export type AnyAction = Action<never[]>;

/** An action that takes its arguments as they come: any JSON, so check what you use. */
export function action<Args extends unknown[], Value>(run: (...args: Args) => Value): Action<Args, Awaited<Value>>;
/**
 * An action with one argument that a Standard Schema checks: `run` gets what the schema made of it. More arguments than
 * that are refused.
 */
export function action<Input, Output, Value>(
  schema: StandardSchema<Input, Output>,
  run: (input: Output) => Value,
): Action<[input: Input], Awaited<Value>>;
export function action(
  first: StandardSchema | ((...args: unknown[]) => unknown),
  run?: (input: unknown) => unknown,
): Action<unknown[]> {
  const call = typeof first === "function" && run === undefined ? plain(first) : checked(first, run);
  return Object.assign(call, { [RUN]: (args: readonly Json[]) => call(...args) });
}

/** Runs an action with arguments that came over the wire. @throws SvcError `SVC_INVALID` when they don't fit. */
export function runAction(target: AnyAction, args: readonly Json[]): Promise<unknown> {
  return target[RUN](args);
}

export function isAction(value: unknown): value is AnyAction {
  return typeof value === "function" && RUN in value;
}

function plain(run: (...args: unknown[]) => unknown) {
  return async (...args: unknown[]): Promise<unknown> => run(...args);
}

function checked(schema: unknown, run: ((input: unknown) => unknown) | undefined) {
  // Schemas of some libraries are functions that carry `~standard`, so only the property tells.
  const standard = (schema as Partial<StandardSchema> | undefined)?.["~standard"];
  if (!standard || typeof run !== "function") {
    throw new SvcError("SVC_DEFINITION", "action takes a function, or a Standard Schema and a function");
  }
  return async (...args: unknown[]): Promise<unknown> => {
    if (args.length > 1) throw new SvcError("SVC_INVALID", `args holds ${args.length} values; this action takes one`);
    const result = await standard.validate(args[0]);
    if (result.issues) throw refusal(result.issues);
    return run(result.value);
  };
}

function refusal(found: readonly SchemaIssue[]): SvcError {
  const issues: Issue[] = found.map(({ message, path }) => ({ path: (path ?? []).map(step), message }));
  const first = issues[0];
  const place = first && first.path.length > 0 ? `${first.path.join(".")}: ` : "";
  return new SvcError("SVC_INVALID", `${place}${first?.message ?? "The input is not valid"}`, { issues });
}

function step(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof part === "object" ? part.key : part;
  return typeof key === "number" ? key : String(key);
}
