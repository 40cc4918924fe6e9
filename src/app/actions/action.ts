/**
 * Server actions: functions on the server that browser code calls like its own. Defines them; action-endpoint.ts serves them over HTTP
 * (docs/reference/http.md, section 5).
 */
import { whenThere } from "../../platform/http/response/close-iterator.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { isSchema, type InputOf, type OutputOf, type StandardSchema } from "../../platform/shared/schema.ts";
import { validate } from "./action-schema.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import type { Deserialized, MustTravel } from "./serializable.ts";

export type { StandardSchema } from "../../platform/shared/schema.ts";

/** Limits of an action; the defaults apply to every action. */
export interface ActionOptions {
  /**
   * Limit of calls by one client, for this action alone: replaces the limit that all actions share (`SVC_RATE_ACTIONS`). `perMinute`:
   * whole, from 1.
   */
  limit?: { perMinute: number };
  /**
   * Longest time of one call, such as `"30s"`. After it, `currentContext().signal` aborts and the response is 503. For an action that
   * streams, it covers the whole stream. Default: no limit.
   */
  timeout?: Duration;
  /** Largest body of a call in bytes; a larger one is refused with 413, unread. Default 1 MiB. */
  maxBytes?: number;
}

const SPEC = Symbol("svc.action");

/** The HTTP endpoint's view of an action. */
export interface ActionSpec {
  readonly options: ActionOptions;
  /** Whether it streams values. */
  readonly isStream: boolean;
  /**
   * Validates arguments and runs the action. Returns a promise if schema or action is asynchronous.
   * @throws SvcError `SVC_INVALID` for invalid arguments
   */
  readonly call: (args: readonly Json[]) => unknown;
  /** Like `call`, for an action that streams. */
  readonly stream: (args: readonly Json[]) => AsyncGenerator<unknown, void, void>;
}

/** Called by browser code (a POST) or on the server (a plain call); typed like its function. */
export interface Action<Args extends readonly unknown[] = readonly unknown[], Value = unknown> {
  (...args: Args): Promise<Deserialized<Value>>;
  readonly [SPEC]: ActionSpec;
}

/** An action that streams values, for `for await`; leaving the loop ends it on the server. */
export interface StreamAction<Args extends readonly unknown[] = readonly unknown[], Item = unknown> {
  (...args: Args): AsyncGenerator<Item, void, void>;
  readonly [SPEC]: ActionSpec;
}

/** Any action. */
export type AnyAction = Action<never[]> | StreamAction<never[]>;

type Stream<Item> = AsyncGenerator<Item, void, void>;

/** The caller's value: each value of a stream, or the returned value. */
type ValueOf<Result> = Result extends Stream<infer Item> ? Item : Awaited<Result>;

/**
 * One definition for both kinds: with two overloads the compiler would check each action twice. A function that always throws has the
 * type `never`, which would match a stream as well.
 */
type ActionOf<Args extends readonly unknown[], Result> = [Result] extends [Stream<infer Item>]
  ? [Result] extends [never]
    ? Action<Args, never>
    : StreamAction<Args, Item>
  : Action<Args, Awaited<Result>>;

/**
 * An action that accepts any JSON arguments, so validate what you use. An `async function*` streams: its values reach the browser as they
 * are yielded.
 * @param options limits of its own
 * @example
 * export const addTodo = action(async (text: string) => {
 *   if (text === "") fail("Enter a text");
 *   return { id: 1, text };
 * });
 */
export function action<Args extends unknown[], Result>(
  run: ((...args: Args) => Result) & MustTravel<Args, ValueOf<Result>>,
  options?: ActionOptions,
): ActionOf<Args, Result>;
/** An action with one argument that a Standard Schema validates: `run` gets the schema's output. More arguments are refused. */
export function action<Schema extends StandardSchema, Result>(
  schema: Schema & MustTravel<[InputOf<Schema>], null>,
  run: (input: OutputOf<Schema>) => Result & MustTravel<[], ValueOf<Result>>,
  options?: ActionOptions,
): ActionOf<[input: InputOf<Schema>], Result>;
export function action(first: unknown, second?: unknown, third?: unknown): AnyAction {
  const [schema, run, options] = isSchema(first) ? [first, second, third] : [undefined, first, second];
  if (typeof run !== "function") throw badDefinition();
  return make(schema, run as Run, requireOptions(options === undefined ? {} : options));
}

export function specOf(target: AnyAction): ActionSpec {
  return target[SPEC];
}

export function isAction(value: unknown): value is AnyAction {
  return typeof value === "function" && SPEC in value;
}

type Run = (...args: unknown[]) => unknown;

function make(schema: StandardSchema | undefined, run: Run, options: ActionOptions): AnyAction {
  const call = (args: readonly unknown[]): unknown => {
    if (!schema) return whenThere(run(...args), passedOn);
    return whenThere(validate(schema, args), (input) => whenThere(run(input), passedOn));
  };
  const stream = async function* (args: readonly unknown[]): AsyncGenerator<unknown, void, void> {
    const prepared = schema ? [await validate(schema, args)] : args;
    yield* run(...prepared) as AsyncGenerator<unknown, void, void>;
  };
  const isStream = isGeneratorFunction(run);
  const direct = isStream ? (...args: unknown[]) => stream(args) : async (...args: unknown[]) => call(args);
  const spec: ActionSpec = { options, isStream, call, stream };
  // The overloads define its type.
  return Object.assign(direct, { [SPEC]: spec }) as AnyAction;
}

function passedOn(value: unknown): unknown {
  if (isIterable(value)) throw notSeenToStream();
  return value === undefined ? null : value;
}

function isGeneratorFunction(run: Run): boolean {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}

function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

const OPTION_NAMES = ["limit", "timeout", "maxBytes"];

function requireOptions(given: unknown): ActionOptions {
  if (typeof given !== "object" || given === null) throw badDefinition();
  const unknownName = Object.keys(given).find((name) => !OPTION_NAMES.includes(name));
  if (unknownName !== undefined)
    throw new SvcError(
      "SVC_DEFINITION",
      `action has no option "${unknownName}"; its options are ${OPTION_NAMES.join(", ")}`,
    );
  const options = given as ActionOptions;
  requirePositive("limit.perMinute", options.limit?.perMinute);
  requireDuration(options.timeout);
  requirePositive("maxBytes", options.maxBytes);
  return options;
}

function requirePositive(name: string, value: unknown): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return;
  throw new SvcError(
    "SVC_DEFINITION",
    `${name} of an action is ${String(value)}; it must be a whole number of at least 1`,
  );
}

function requireDuration(value: Duration | undefined): void {
  if (value === undefined) return;
  try {
    if (durationMs(value) > 0) return;
  } catch {
    // The error below names the option.
  }
  throw new SvcError(
    "SVC_DEFINITION",
    `timeout of an action is ${String(value)}; it must be a duration above 0, such as "30s" or 30_000 milliseconds`,
  );
}

function badDefinition(): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    "action takes a function and options, or a Standard Schema, a function and options",
  );
}

/** The compiler reads the kind of the call from the source, so the source must show it. */
function notSeenToStream(): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    "An action returned a stream of values. Define it with action(async function* (…) { yield* … })",
  );
}
