/** Types of the fields of a schema's input, by their names in forms: `address.city`, `items[0].name`, `tags`. */
import type { FieldKind } from "./form-tree.ts";

type Leaf = string | number | boolean | bigint | Date | null | undefined;

/** Limits recursion for types that contain themselves. */
type Deeper = [never, 0, 1, 2, 3, 4];

/** Names of the fields of an input; any text if the input is unknown. */
export type FieldName<Input, Depth extends number = 5> = [Depth] extends [never]
  ? never
  : unknown extends Input
    ? string
    : Input extends Leaf
      ? never
      : Input extends readonly (infer Item)[]
        ? `[${number}]${InItem<Item, Depth>}`
        : { [Key in keyof Input & string]: Key | InMember<Key, NonNullable<Input[Key]>, Depth> }[keyof Input & string];

type InItem<Item, Depth extends number> =
  NonNullable<Item> extends Leaf ? "" : "" | `.${FieldName<NonNullable<Item>, Deeper[Depth]>}`;

type InMember<Key extends string, Value, Depth extends number> = Value extends Leaf
  ? never
  : Value extends readonly unknown[]
    ? `${Key}[]` | `${Key}${FieldName<Value, Deeper[Depth]>}`
    : `${Key}.${FieldName<Value, Deeper[Depth]>}`;

/** Kinds of all fields of an input that are not text, by name. */
export type FieldKinds<Input> = unknown extends Input
  ? Readonly<Record<string, FieldKind>>
  : { readonly [Name in keyof KindsIn<Input, "", 5> & string]: KindsIn<Input, "", 5>[Name] };

type KindOf<Value> = [Value] extends [boolean]
  ? "boolean"
  : [Value] extends [number]
    ? "number"
    : [Value] extends [readonly number[]]
      ? "numbers"
      : [Value] extends [readonly string[]]
        ? "strings"
        : never;

type KindsIn<Input, Prefix extends string, Depth extends number> = [Depth] extends [never]
  ? unknown
  : // An object without known names, such as `Record<string, never>` of an empty schema.
    string extends keyof Input
    ? unknown
    : Together<
        {
          [Key in keyof Input & string]: [KindOf<NonNullable<Input[Key]>>] extends [never]
            ? NonNullable<Input[Key]> extends Leaf
              ? unknown
              : NonNullable<Input[Key]> extends readonly (infer Item)[]
                ? KindsIn<NonNullable<Item>, `${Prefix}${Key}[].`, Deeper[Depth]>
                : KindsIn<NonNullable<Input[Key]>, `${Prefix}${Key}.`, Deeper[Depth]>
            : { [Name in `${Prefix}${Key}`]: KindOf<NonNullable<Input[Key]>> };
        }[keyof Input & string]
      >;

/** Intersection of the members of a union. */
type Together<Union> = (Union extends unknown ? (given: Union) => void : never) extends (given: infer All) => void
  ? All
  : never;
