/**
 * Attributes and conditions on them as text, for URLs, the command line and forms: `plan=pro cents>=500`. A value that reads as a number
 * or a boolean is one; in double quotes, as in JSON, it is a text.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { AttributeFilter, AttributeValue, NumberRange } from "../../storage/contract/attributes.ts";
import { ATTRIBUTE_NAME, readAttributeFilter } from "./run-attributes.ts";

const CONDITION = new RegExp(String.raw`\s*(${ATTRIBUTE_NAME})(>=|<=|=|>|<)("(?:[^"\\]|\\.)*"|[^\s"]\S*)(?=\s|$)`, "y");
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const BOUNDS: Readonly<Record<string, keyof NumberRange>> = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };
const MAX_SHOWN = 80;

/**
 * Conditions that must all hold, separated by spaces.
 * @throws SvcError `SVC_INVALID` with the part that is not a condition
 */
export function parseAttributeFilter(text: string): AttributeFilter {
  const filter: Record<string, AttributeValue | NumberRange> = {};
  let at = 0;
  while (text.slice(at).trim() !== "") {
    CONDITION.lastIndex = at;
    const [whole, name, operator, given] = CONDITION.exec(text) ?? [];
    if (whole === undefined || name === undefined || operator === undefined || given === undefined)
      throw invalid(
        `is "${text.slice(at).trim().slice(0, MAX_SHOWN)}" where a condition is expected, such as plan=pro or cents>=500; a text with spaces needs double quotes`,
      );
    filter[name] = added(Object.hasOwn(filter, name) ? filter[name] : undefined, name, operator, given);
    at += whole.length;
  }
  return readAttributeFilter(filter);
}

function added(
  known: AttributeValue | NumberRange | undefined,
  name: string,
  operator: string,
  given: string,
): AttributeValue | NumberRange {
  const value = valueOf(given);
  const bound = BOUNDS[operator];
  if (bound === undefined) {
    if (known !== undefined) throw invalid(`has two conditions on "${name}"; only bounds of a number can be combined`);
    return value;
  }
  if (typeof value !== "number") throw invalid(`compares "${name}" with ${given.slice(0, MAX_SHOWN)}, not a number`);
  if (known !== undefined && (typeof known !== "object" || known[bound] !== undefined))
    throw invalid(`has two conditions on "${name}" that can't be combined`);
  return { ...known, [bound]: value };
}

function valueOf(given: string): AttributeValue {
  if (given === "true" || given === "false") return given === "true";
  if (NUMBER.test(given)) return Number(given);
  if (!given.startsWith('"')) return given;
  try {
    return String(JSON.parse(given));
  } catch {
    throw invalid(`has ${given.slice(0, MAX_SHOWN)}, which is not a text in double quotes as in JSON`);
  }
}

/** The condition that an attribute has this value: `plan=pro`. */
export function attributeText(name: string, value: AttributeValue): string {
  const isPlain = typeof value !== "string" || (/^[^\s"]\S*$/.test(value) && valueOf(value) === value);
  return `${name}=${isPlain ? value : JSON.stringify(value)}`;
}

function invalid(message: string): SvcError {
  return new SvcError("SVC_INVALID", `"attributes" ${message}`, { issues: [{ path: ["attributes"], message }] });
}
