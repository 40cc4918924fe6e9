/**
 * The fields of a signal's form, read from its schema: Standard JSON Schema (standardschema.dev/json-schema, zod 4) and valibot's objects.
 * A schema that is not a flat object of texts, numbers, booleans and choices has no fields.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { StandardSchema } from "../../platform/shared/schema.ts";

export interface SignalField {
  name: string;
  kind: "text" | "number" | "boolean" | "choice";
  label: string;
  isRequired: boolean;
  /** Values of a choice. */
  options?: string[];
}

type Unknown = Readonly<Record<string, unknown>>;
type Shape = Pick<SignalField, "kind" | "options"> & { label?: string };

/** @returns undefined if the schema shows no fields that a form can have. */
export function fieldsOf(schema: StandardSchema): SignalField[] | undefined {
  return fromJsonSchema(schema) ?? fromEntries(schema);
}

/** The value of a form. An empty field without a required value is left out; a number that is none stays text, which the schema rejects. */
export function valueOf(fields: readonly SignalField[], given: (name: string) => string | undefined): Json {
  const entries = fields.flatMap(({ name, kind, isRequired }): [string, Json][] => {
    const text = given(name);
    if (kind === "boolean") return [[name, text !== undefined && text !== ""]];
    if ((text ?? "") === "" && !(isRequired && kind === "text")) return [];
    const number = Number(text);
    return [[name, kind === "number" && !Number.isNaN(number) ? number : (text ?? "")]];
  });
  return Object.fromEntries(entries);
}

/** Fields that a wait has stored. */
export function storedFields(input: Json): { signal: string; fields: SignalField[] } | undefined {
  const { signal, fields } = recordOf(input);
  return typeof signal === "string" && Array.isArray(fields) ? { signal, fields: fields as SignalField[] } : undefined;
}

// Standard JSON Schema.

function fromJsonSchema(schema: StandardSchema): SignalField[] | undefined {
  const { input } = recordOf(recordOf(schema["~standard"])["jsonSchema"]);
  if (typeof input !== "function") return undefined;
  let described: Unknown;
  try {
    described = recordOf((input as (options: object) => unknown)({ target: "draft-07" }));
  } catch {
    // The standard lets a library throw for a schema that JSON Schema can't express.
    return undefined;
  }
  const { type, properties, required } = described;
  if (type !== "object") return undefined;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return allOf(Object.entries(recordOf(properties)), (name, property) =>
    fieldOf(name, isRequired(name), ofType(property)),
  );
}

function ofType(property: unknown): Shape | undefined {
  const { type, title, enum: options } = recordOf(property);
  const label = typeof title === "string" ? { label: title } : {};
  if (isTexts(options)) return { kind: "choice", options, ...label };
  if (type === "boolean") return { kind: "boolean", ...label };
  if (type === "number" || type === "integer") return { kind: "number", ...label };
  return type === "string" ? { kind: "text", ...label } : undefined;
}

// valibot.

function fromEntries(schema: StandardSchema): SignalField[] | undefined {
  const { type, entries } = recordOf(schema);
  if (typeof type !== "string" || !/^(?:loose_|strict_)?object$/.test(type)) return undefined;
  return allOf(Object.entries(recordOf(entries)), (name, entry) => {
    const { type, wrapped } = recordOf(entry);
    const isOptional = type === "optional" || type === "nullish" || type === "exact_optional";
    return fieldOf(name, !isOptional, ofEntry(isOptional ? wrapped : entry));
  });
}

function ofEntry(entry: unknown): Shape | undefined {
  const { type, options } = recordOf(entry);
  if (type === "picklist") return isTexts(options) ? { kind: "choice", options } : undefined;
  if (type === "boolean" || type === "number") return { kind: type };
  return type === "string" ? { kind: "text" } : undefined;
}

// Shared.

function fieldOf(name: string, isRequired: boolean, shape: Shape | undefined): SignalField | undefined {
  return shape && { name, label: labelOf(name), isRequired: isRequired && shape.kind !== "boolean", ...shape };
}

/** `isApproved` → `Is approved`. */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function allOf(
  entries: readonly [string, unknown][],
  read: (name: string, value: unknown) => SignalField | undefined,
): SignalField[] | undefined {
  const fields = entries.map(([name, value]) => read(name, value)).filter((field) => field !== undefined);
  return fields.length === entries.length && fields.length > 0 ? fields : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

function recordOf(value: unknown): Unknown {
  const isHolder = (typeof value === "object" || typeof value === "function") && value !== null;
  return isHolder ? (value as Unknown) : {};
}
