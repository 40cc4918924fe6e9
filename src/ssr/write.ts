/**
 * Writing values into HTML by context. Everything that comes from data passes one of these; the compiler decides which.
 * docs/resume-protocol.md section 4.
 */
import { isSignal } from "../reactivity/signal.ts";
import { escapeAttribute, escapeText } from "../shared/escape.ts";
import { Html } from "./html.ts";

/** Text between tags. */
export function t(value: unknown): string {
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  return structured(value);
}

function structured(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return "";
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) {
    let out = "";
    for (const item of value) out += t(item);
    return out;
  }
  return isSignal(value) ? t(value.value) : escapeText(String(value));
}

/** A piece of an attribute's value. */
export function a(value: unknown): string {
  if (typeof value === "string") return escapeAttribute(value);
  if (value === null || value === undefined || value === false) return "";
  return isSignal(value) ? a(value.value) : escapeAttribute(String(value));
}

/** @param open ` name="`. A whole attribute, or nothing. */
export function at(open: string, value: unknown): string {
  if (typeof value === "string") return `${open}${escapeAttribute(value)}"`;
  if (value === null || value === undefined || value === false) return "";
  if (value === true) return open.slice(0, -2);
  return isSignal(value) ? at(open, value.value) : `${open}${escapeAttribute(String(value))}"`;
}

/**
 * Schemes that run what follows them. Browsers drop tabs and line ends anywhere and controls and spaces in front, so
 * they are taken out before looking (WHATWG URL, basic URL parser).
 */
const SCRIPT_URL = /^(?:javascript|vbscript|data:(?!image\/|font\/|audio\/|video\/))/i;
// eslint-disable-next-line no-control-regex
const DROPPED_BY_PARSERS = /[\u0000-\u0020\u007f-\u009f]/g;

/** Whether a URL would run script when followed. */
export function isScriptUrl(url: string): boolean {
  const bare = url.slice(0, 64).includes(":") ? url.replace(DROPPED_BY_PARSERS, "") : "";
  return SCRIPT_URL.test(bare) && /^[a-z]+:/i.test(bare);
}

/** As `at`, for attributes that hold a URL; one that would run script becomes `about:blank`. */
export function url(open: string, value: unknown): string {
  const plain = isSignal(value) ? value.value : value;
  if (plain === null || plain === undefined || typeof plain === "boolean") return at(open, plain);
  const text = String(plain);
  return at(open, isScriptUrl(text) ? "about:blank" : text);
}

/** Text of a class given as string, array or object of conditions. */
export function cls(value: unknown): string {
  if (typeof value === "string") return value;
  if (!value || typeof value !== "object") return "";
  if (Array.isArray(value)) return value.map(cls).filter(Boolean).join(" ");
  return Object.entries(value)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(" ");
}

/** Text of a style given as string, array or object; `backgroundColor` and `background-color` both work. */
export function sty(value: unknown): string {
  if (typeof value === "string") return value;
  if (!value || typeof value !== "object") return "";
  if (Array.isArray(value)) return value.map(sty).filter(Boolean).join(";");
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== undefined && part !== false)
    .map(
      ([name, part]) =>
        `${name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${String(part)}`,
    )
    .join(";");
}

const ATTRIBUTE_NAME = /^[a-zA-Z_:][\w:.-]*$/;
const URL_ATTRIBUTES = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "poster",
  "xlink:href",
  "data",
  "ping",
  "background",
  "cite",
  "manifest",
  "icon",
]);
/** Never written from a spread: they are not attributes, or they hold code or HTML. */
const NOT_SPREAD = /^(?:children|key|ref|dangerouslySetInnerHTML|srcdoc|style|on.*)$/i;

/** @param skip names that are written by themselves. Attributes of `{...props}`; handlers and odd names are left out. */
export function spread(props: Record<string, unknown>, skip: readonly string[] = []): string {
  let out = "";
  for (const [name, value] of Object.entries(props ?? {})) {
    if (skip.includes(name) || typeof value === "function" || !ATTRIBUTE_NAME.test(name)) continue;
    if (name === "class" || name === "className") out += at(' class="', cls(value) || undefined);
    else if (name === "style") out += at(' style="', sty(value) || undefined);
    else if (NOT_SPREAD.test(name)) continue;
    else if (URL_ATTRIBUTES.has(name.toLowerCase())) out += url(` ${name}="`, value);
    else out += at(` ${name}="`, /^(?:aria|data)-/.test(name) && typeof value === "boolean" ? String(value) : value);
  }
  return out;
}
