/** `submit`: what a form is sent to. Owns its definition for authors; the way over HTTP is the base app's (contract section 5). */
import { SvcError, type Context, type FileRule, type StandardSchema, type UploadedFile } from "../../index.ts";
import { parseWith, type SubmitBody, type SubmitDefinition } from "../../internal.ts";
import type { FieldKinds } from "./field-names.ts";
import { treeOf, type FieldKind } from "./form-tree.ts";

/** What a schema says of itself. */
type Types<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>;

export type Files = Readonly<Record<string, FileRule>>;

interface Settings<Schema extends StandardSchema, Of extends Files> extends Omit<SubmitDefinition, "run" | "files"> {
  /** A Standard Schema of the fields; the handler gets what it makes of them. */
  schema: Schema;
  /** File fields by name, with their limits; what is over them is refused while it is read. */
  files?: Of;
}

/**
 * `fields` says of each field that is no text what it is, by its name; of items of a list as `items[].count`: `"number"` (an empty
 * field is left out), `"boolean"` (a box that is not ticked is false), `"strings"` and `"numbers"` (lists; none is `[]`).
 */
export type SubmitOptions<Schema extends StandardSchema, Of extends Files> = Settings<Schema, Of> &
  (unknown extends Types<Schema>["input"]
    ? { fields?: FieldKinds<unknown> }
    : object extends FieldKinds<Types<Schema>["input"]>
      ? { fields?: FieldKinds<Types<Schema>["input"]> }
      : { fields: FieldKinds<Types<Schema>["input"]> });

/** What a handler gets beside its input. */
export interface SubmitContext<FileField extends string = string> {
  readonly ctx: Context;
  /** Files by field, in their order; an empty list where none was sent. They are gone when the handler has ended, unless moved. */
  readonly files: Readonly<Record<FileField, readonly UploadedFile[]>>;
}

declare const input: unique symbol;

/** What `<Form submit={…}>` takes. */
export interface Submit<Input = unknown, FileField extends string = string> {
  readonly kind: "submit";
  readonly name: string;
  readonly definition: SubmitDefinition;
  /** In types only: what its fields are. */
  readonly [input]?: (input: Input, field: FileField) => void;
}

/** Any submit. */
export type AnySubmit = Submit<never, never>;

/**
 * @param name it is posted to, `/_svc/submit/<name>`: letters, digits, `_`, `.` and `-`, unique in the app.
 * @param run gets what the schema made of the fields. `redirect(to)` sends the visitor on; without, they see the page with the form
 * anew. `fail("…", issues)` shows the form again with what is wrong; what is returned is for callers that ask for JSON.
 * @throws SvcError `SVC_DEFINITION`
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

/** @throws SvcError `SVC_DEFINITION` for two of one name */
export function submitsByName(submits: Iterable<AnySubmit>): Map<string, AnySubmit> {
  const named = new Map<string, AnySubmit>();
  for (const each of submits) {
    const other = named.get(each.name);
    if (other && other !== each)
      throw new SvcError("SVC_DEFINITION", `Two submits are called "${each.name}"; each needs a name of its own`);
    named.set(each.name, each);
  }
  return named;
}
