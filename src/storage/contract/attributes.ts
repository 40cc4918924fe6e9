/**
 * Attributes of runs, and the conditions by which runs are searched. Stores index each value as a text that sorts like the value, so a
 * condition is a range of texts in every store (docs/decisions/115-attributes-are-indexed-as-texts.md).
 */

export type AttributeValue = string | number | boolean;

/** Values by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Bounds of a number: `gt` and `lt` are exclusive, `gte` and `lte` inclusive. At least one. */
export type NumberRange = {
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
};

/** Conditions by name, which must all hold: a value, or bounds of a number. The types must match: `"5"` is not `5`. */
export type AttributeFilter = Readonly<Record<string, AttributeValue | NumberRange>>;

/** A condition on an attribute: its indexed text is `from`, or from `from` (inclusive) to `below` (exclusive). */
export type AttributeCondition =
  | { readonly name: string; readonly isExact: true; readonly from: string }
  | { readonly name: string; readonly isExact: false; readonly from: string; readonly below: string };

const [BOOLEAN, NUMBER, TEXT] = ["b", "n", "t"];
/** Sorts after the texts of all numbers. */
const AFTER_NUMBERS = "o";
/** Added to the text of a number, sorts after it and before the next number. */
const AFTER = "~";

/** The text of a value in the index. */
export function attributeKey(value: AttributeValue): string {
  if (typeof value === "boolean") return `${BOOLEAN}${value ? 1 : 0}`;
  return typeof value === "number" ? numberKey(value) : TEXT + value;
}

/** The bits of the number, so that they sort like it: those of a negative number are inverted, the others get the highest bit. */
function numberKey(value: number): string {
  const bytes = new DataView(new ArrayBuffer(8));
  // Without the sign of -0, which equals 0.
  bytes.setFloat64(0, value === 0 ? 0 : value);
  const bits = bytes.getBigUint64(0);
  const sorted = bits >> 63n === 1n ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
  return NUMBER + sorted.toString(16).padStart(16, "0");
}

export function attributeKeys(attributes: Attributes = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, attributeKey(value)]));
}

export function attributeConditions(filter: AttributeFilter = {}): AttributeCondition[] {
  return Object.entries(filter).map(([name, wanted]) =>
    typeof wanted === "object"
      ? { name, isExact: false, ...boundsOf(wanted) }
      : { name, isExact: true, from: attributeKey(wanted) },
  );
}

function boundsOf({ gt, gte, lt, lte }: NumberRange): { from: string; below: string } {
  const from = [gte === undefined ? NUMBER : attributeKey(gte), gt === undefined ? NUMBER : attributeKey(gt) + AFTER];
  const below = [
    lt === undefined ? AFTER_NUMBERS : attributeKey(lt),
    lte === undefined ? AFTER_NUMBERS : attributeKey(lte) + AFTER,
  ];
  return { from: from.toSorted().at(-1) as string, below: below.toSorted()[0] as string };
}

/** Whether the attributes of a run meet all conditions. */
export function meetsConditions(attributes: Attributes = {}, filter?: AttributeFilter): boolean {
  return attributeConditions(filter).every((condition) => {
    const value = Object.hasOwn(attributes, condition.name) ? attributes[condition.name] : undefined;
    if (value === undefined) return false;
    const key = attributeKey(value);
    return condition.isExact ? key === condition.from : key >= condition.from && key < condition.below;
  });
}
