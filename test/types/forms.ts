/** Types of submits and fields. */
import { field, submit, type FieldName, type FieldsOf } from "svckit/fullstack";
import type { StandardSchema } from "svckit";
import * as v from "valibot";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

const schema = v.object({
  name: v.string(),
  age: v.optional(v.number()),
  tags: v.array(v.string()),
  address: v.object({ city: v.string(), isHome: v.boolean() }),
  items: v.array(v.object({ title: v.string(), count: v.number() })),
});

export const save = submit(
  "save",
  {
    schema,
    fields: { age: "number", tags: "strings", "address.isHome": "boolean", "items[].count": "number" },
    files: { picture: { maxBytes: 1 } },
  },
  (input, { files }) => {
    same<typeof input.age, number | undefined>(true);
    void files.picture[0]?.moveTo("/x");
    // @ts-expect-error the submit declares no such file
    void files.other;
  },
);

// @ts-expect-error `fields` must list every field that is not text
export const forgetful = submit("a", { schema: v.object({ age: v.number() }) }, () => null);
// @ts-expect-error a boolean is not a number
export const mistaken = submit("b", { schema: v.object({ age: v.boolean() }), fields: { age: "number" } }, () => null);
export const textual = submit("c", { schema: v.object({ name: v.string() }) }, ({ name }) => name);
// The input of `z.object({})` in zod.
declare const empty: StandardSchema<Record<string, never>, Record<string, never>>;
export const fieldless = submit("e", { schema: empty }, (input) => input);
export const unknown = submit("d", { schema: v.unknown() }, (input) => input);

same<FieldName<{ a: string; b: { c: string[] } }>, "a" | "b" | "b.c" | "b.c[]" | `b.c[${number}]`>(true);

const names: FieldsOf<typeof save>[] = ["name", "address.city", "items[0].title", "tags", "tags[]", "picture"];
void names;
export const known = field(save, "address.city");
export const row = field(save, "items[2].count", { type: "number" });
// @ts-expect-error the schema has no such field
export const misspelt = field(save, "adress.city");
