/**
 * Text for the attributes `class` and `style`, from a string, an array or an object; the same on server and browser. It does not
 * escape HTML. In an object, a value can't add another declaration. A string is used unchanged, so put untrusted text into an
 * object.
 * Source: CSS Syntax 3, sections 4 and 5.4.
 */

/** `false`, `null`, `undefined` and `""` are omitted, so that conditions can be written inline. */
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
 * omitted if its name is invalid or its value would end the declaration: `{ color: "red;position:fixed" }` gives nothing.
 * URLs with a semicolon need quotes: `url("data:image/png;base64,…")`.
 */
export function styleText(value: unknown): string {
  return joined(value, ";", (name, given) => {
    if (given == null || given === false || given === "") return "";
    const text = `${name.startsWith("--") ? name : name.replace(/[A-Z]/g, "-$&").toLowerCase()}:${given as string}`;
    return DECLARATION.test(text) && text;
  });
}

/**
 * A name, and a value that can't end the declaration, open a block or comment, or leave a string open. One pattern, to ship less
 * code.
 */
const DECLARATION = /^[-\w\P{ASCII}]+:(?:[^;{}"'\\/]|\/(?!\*)|"[^"\\\n\r\f]*"|'[^'\\\n\r\f]*')*$/u;

function joined(value: unknown, separator: string, item: (name: string, given: unknown) => unknown): string {
  if (!value || typeof value !== "object") return typeof value === "string" ? value : "";
  const items = Array.isArray(value)
    ? value.map((inner) => joined(inner, separator, item))
    : Object.entries(value).map(([name, given]) => item(name, given));
  return items.filter(Boolean).join(separator);
}
