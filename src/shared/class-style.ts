/**
 * Text of the attributes `class` and `style` given as string, array or object; the same on both sides. Escapes nothing for
 * HTML. In an object each property stays one declaration, whatever data gives for it; a string is taken as it is, so text
 * of others belongs into objects. Source: CSS Syntax 3, sections 4 and 5.4.
 */

/** `false`, `null`, `undefined` and `""` stand for nothing, so that conditions can be written inline. */
export type ClassValue =
  | string
  | false
  | null
  | undefined
  | readonly ClassValue[]
  | { readonly [name: string]: unknown };

export type StyleValue =
  | string
  | false
  | null
  | undefined
  | readonly StyleValue[]
  | { readonly [property: string]: string | number | false | null | undefined };

/** `["a", { b: true, c: false }]` -> `a b`. */
export function classText(value: unknown): string {
  return joined(value, " ", (name, isOn) => isOn && name);
}

/**
 * `{ color: "red", fontSize: "2em", "--gap": 4 }` -> `color:red;font-size:2em;--gap:4`. Numbers get no unit. A property is
 * left out if its name is no name or its value would end the declaration: `{ color: "red;position:fixed" }` is nothing.
 */
export function styleText(value: unknown): string {
  return joined(value, ";", (name, given) => {
    if (given == null || given === false || given === "" || !NAME.test(name) || !isOneValue(String(given))) return "";
    return `${name.startsWith("--") ? name : name.replace(/[A-Z]/g, "-$&").toLowerCase()}:${given as string}`;
  });
}

const NAME = /^[-\w\u0080-\uffff]+$/;
/** Complete strings and plain `url(…)`; a line end would break a string off. */
const QUOTED = /"(?:[^"\\\n\r\f]|\\.)*"|'(?:[^'\\\n\r\f]|\\.)*'|(?<![-\w])url\([^"'()\\]*\)/gi;

/** Outside of quotes nothing ends the declaration, opens a block or a comment, or is left open. */
function isOneValue(text: string): boolean {
  return !/[;{}"'\\]|\/\*/.test(text.replace(QUOTED, ""));
}

function joined(value: unknown, separator: string, item: (name: string, given: unknown) => unknown): string {
  if (!value || typeof value !== "object") return typeof value === "string" ? value : "";
  const items = Array.isArray(value)
    ? value.map((inner) => joined(inner, separator, item))
    : Object.entries(value).map(([name, given]) => item(name, given));
  return items.filter(Boolean).join(separator);
}
