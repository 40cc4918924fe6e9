/** `submit` defines the target of a form. The base app handles the HTTP request (docs/reference/http.md section 5). */
import { SvcError, type Context, type FileRule, type StandardSchema, type UploadedFile } from "../../index.ts";
import { parseWith, type SubmitBody, type SubmitDefinition } from "../../internal.ts";
import type { FieldKinds } from "./field-names.ts";
import { treeOf, type FieldKind } from "./form-tree.ts";

/** Input and output types of a schema. */
type Types<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>;

export type Files = Readonly<Record<string, FileRule>>;

interface Settings<Schema extends StandardSchema, Of extends Files> extends Omit<SubmitDefinition, "run" | "files"> {
  /** A Standard Schema of the fields. The handler receives its output. */
  schema: Schema;
  /** File fields by name, with their limits. A file over its limit is rejected while it is read. */
  files?: Of;
}

/**
 * `fields` declares the kind of each field that is not text, by name; in items of a list as `items[].count`. Kinds: `"number"` (an empty
 * field is left out), `"boolean"` (an unchecked box is false), `"strings"` and `"numbers"` (lists; `[]` without values).
 */
export type SubmitOptions<Schema extends StandardSchema, Of extends Files> = Settings<Schema, Of> &
  (unknown extends Types<Schema>["input"]
    ? { fields?: FieldKinds<unknown> }
    : object extends FieldKinds<Types<Schema>["input"]>
      ? { fields?: FieldKinds<Types<Schema>["input"]> }
      : { fields: FieldKinds<Types<Schema>["input"]> });

/** Second argument of a handler. */
export interface SubmitContext<FileField extends string = string> {
  readonly ctx: Context;
  /** Files by field, in their order; an empty list if none was sent. They are deleted when the handler ends, unless it moves them. */
  readonly files: Readonly<Record<FileField, readonly UploadedFile[]>>;
}

declare const input: unique symbol;

/** Value of `<Form submit={…}>`. */
export interface Submit<Input = unknown, FileField extends string = string> {
  readonly kind: "submit";
  readonly name: string;
  readonly definition: SubmitDefinition;
  /** Type of the fields. Never set. */
  readonly [input]?: (input: Input, field: FileField) => void;
}

export type AnySubmit = Submit<never, never>;

/**
 * @param name last segment of its path, `/_svc/submit/<name>`: letters, digits, `_`, `.` and `-`, unique in the app.
 * @param run receives the output of the schema. `redirect(to)` sends the visitor to another page; without it, the page with the form is
 * shown again. `fail("…", issues)` shows the form again with the errors. Callers that ask for JSON receive the return value.
 * @throws SvcError `SVC_DEFINITION`
 * @example
 * export const rename = submit("rename", { schema: Title }, async (input, { ctx }) => {
 *   flash(ctx, `Renamed to ${input.title}`);
 *   redirect("/");
 * });
 */
export function submit<Schema extends StandardSchema, const Of extends Files = Record<never, FileRule>>(
  name: string,
  options: SubmitOptions<Schema, Of>,
  run: (input: Types<Schema>["output"], form: SubmitContext<keyof Of & string>) => unknown,
): Submit<Types<Schema>["input"], keyof Of & string> {
  const { schema, fields, ...settings } = options as Settings<Schema, Of> & { fields?: Record<string, FieldKind> };
  if (!/^[A-Za-z][\w.-]{0,99}$/.test(name) || typeof schema?.["~standard"]?.validate !== "function")
    throw new SvcError(
      "SVC_DEFINITION",
      `submit(${JSON.stringify(name)}, …) takes a name of letters, digits, _ . and -, options with a Standard Schema as "schema", and a function`,
    );
  const names = Object.keys(settings.files ?? {});
  const definition: SubmitDefinition = {
    ...settings,
    run: async (body, ctx) => {
      const given = await parseWith(schema, inputOf(body, fields));
      return run(given, {
        ctx,
        files: filesOf(body.files, names) as Record<keyof Of & string, readonly UploadedFile[]>,
      });
    },
  };
  return { kind: "submit", name, definition };
}

function inputOf({ json, fields }: SubmitBody, kinds: Record<string, FieldKind> | undefined): unknown {
  return json === undefined ? treeOf(fields, kinds) : json;
}

function filesOf(files: readonly UploadedFile[], names: readonly string[]): Record<string, readonly UploadedFile[]> {
  return Object.fromEntries(names.map((name) => [name, files.filter(({ field }) => field === name)]));
}

export function isSubmit(value: unknown): value is AnySubmit {
  return typeof value === "object" && value !== null && (value as Partial<AnySubmit>).kind === "submit";
}

/** @throws SvcError `SVC_DEFINITION` for two submits with one name */
export function submitsByName(submits: Iterable<AnySubmit>): Map<string, AnySubmit> {
  const named = new Map<string, AnySubmit>();
  for (const each of submits) {
    const other = named.get(each.name);
    if (other && other !== each)
      throw new SvcError("SVC_DEFINITION", `Two submits are called "${each.name}"; submit names must be unique`);
    named.set(each.name, each);
  }
  return named;
}
