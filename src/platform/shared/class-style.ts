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
 * URLs with a semicolon need quotes: `url("data:image/png;base64,…")`.
 */
export function styleText(value: unknown): string {
  return joined(value, ";", (name, given) => {
    if (given == null || given === false || given === "") return "";
    const text = `${name.startsWith("--") ? name : name.replace(/[A-Z]/g, "-$&").toLowerCase()}:${given as string}`;
    return DECLARATION.test(text) && text;
  });
}

/** A name and what can't end its declaration, open a block or a comment, or break a string off. One pattern: it ships. */
const DECLARATION = /^[-\w\P{ASCII}]+:(?:[^;{}"'\\/]|\/(?!\*)|"[^"\\\n\r\f]*"|'[^'\\\n\r\f]*')*$/u;

function joined(value: unknown, separator: string, item: (name: string, given: unknown) => unknown): string {
  if (!value || typeof value !== "object") return typeof value === "string" ? value : "";
  const items = Array.isArray(value)
    ? value.map((inner) => joined(inner, separator, item))
    : Object.entries(value).map(([name, given]) => item(name, given));
  return items.filter(Boolean).join(separator);
}
