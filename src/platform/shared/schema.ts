/** Validation with a schema of the app's author: Standard Schema v1 (standardschema.dev). */
import { SvcError, type Issue } from "./errors.ts";

/** The part of Standard Schema v1 used here; valibot, zod and arktype schemas fit. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Reads the schema's declared types: inferring them from the whole schema makes the compiler take half as long again. */
export type InputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Some libraries' schemas are functions with a `~standard` property, so only that property identifies a schema. */
export function isSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === "object" && value !== null) || typeof value === "function";
  return isHolder && typeof (value as Partial<StandardSchema>)["~standard"]?.validate === "function";
}

/**
 * Validates a value. Returns the schema's output, or a promise of it if the schema is asynchronous, which is rare.
 * @throws SvcError `SVC_INVALID` with issues.
 */
export function parseWith(schema: StandardSchema, value: unknown): unknown {
  const result = schema["~standard"].validate(value);
  return "then" in result ? result.then(outputOf) : outputOf(result);
}

function outputOf(result: SchemaResult<unknown>): unknown {
  if (result.issues) throw refusal(result.issues);
  return result.value;
}

function refusal(found: readonly SchemaIssue[]): SvcError {
  const issues: Issue[] = found.map(({ message, path }) => ({ path: (path ?? []).map(step), message }));
  const first = issues[0];
  const place = first && first.path.length > 0 ? `${first.path.join(".")}: ` : "";
  return new SvcError("SVC_INVALID", `${place}${first?.message ?? "Invalid input"}`, { issues });
}

function step(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof part === "object" ? part.key : part;
  return typeof key === "number" ? key : String(key);
}
