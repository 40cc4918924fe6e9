/**
 * Writes values into HTML, escaped for their context. All data passes through one of these functions; the compiler chooses which.
 * docs/resume-protocol.md section 4.
 */
import { isSignal } from "../reactivity/signal.ts";
import { classText, styleText } from "../../platform/shared/html/class-style.ts";
import { escapeAttribute, escapeText } from "../../platform/shared/html/escape.ts";
import { membersBehind, unlessHiding } from "../../platform/shared/html/hidden-members.ts";
import { isEnumerated, isUrlAttribute } from "../../platform/shared/html/html.ts";
import { isScriptUrl, SAFE_URL } from "../../platform/shared/html/script-url.ts";
import { mayBeSpread } from "../../platform/shared/html/spread-names.ts";
import { isDocumentMember } from "./document-members.ts";
import { Html } from "./html.ts";

// Functions that run for each value of a page check the common case first and stay short, so that V8 inlines them into
// components. `npm run bench:ssr` measures the cost of a change.

/** Text between tags. */
export function t(value: unknown): string {
  return typeof value === "string" ? escapeText(value) : structured(value);
}

function structured(value: unknown): string {
  if (typeof value === "number") return `${value}`;
  if (value === null || value === undefined || typeof value === "boolean") return "";
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) {
    let out = "";
    for (const item of value) out += t(item);
    return out;
  }
  return isSignal(value) ? t(value.value) : escapeText(String(value));
}

/** Value of `${value}` in a template literal inside an attribute's value. */
export function a(value: unknown): string {
  return escapeAttribute(typeof value === "string" ? value : String(value));
}

/**
 * Writes `value.toFixed(digits)`. A number's result contains only digits, a sign, a point, an exponent or a word, so it needs no escaping.
 * The method of another object may return anything, so its result is escaped.
 * @param write `t` or `a`
 */
export function fixed(
  write: (text: unknown) => string,
  value: { toFixed(digits: number): unknown },
  digits: number,
): string {
  return typeof value === "number" ? value.toFixed(digits) : write(value.toFixed(digits));
}

/**
 * Writes an attribute together with the static HTML around it, or that HTML alone if the value is absent. Passing the HTML in saves
 * string concatenations.
 * @param open HTML before the attribute, then ` name="`
 * @param close the closing quote, then the HTML after the attribute
 * @param without the HTML before and after, written if the value is absent
 */
export function at(open: string, value: unknown, close = '"', without = ""): string {
  return typeof value === "string"
    ? `${open}${escapeAttribute(value)}${close}`
    : structuredAttribute(open, value, close, without);
}

function structuredAttribute(open: string, value: unknown, close: string, without: string): string {
  if (typeof value === "number") return `${open}${value}${close}`;
  if (value === null || value === undefined || value === false) return without;
  if (value === true) return open.slice(0, -2) + close.slice(1);
  return isSignal(value) ? at(open, value.value, close, without) : `${open}${escapeAttribute(String(value))}${close}`;
}

/** Like `at`, for URL attributes: a URL that would run a script becomes `about:blank`. */
export function url(open: string, value: unknown, close?: string, without?: string): string {
  const plain = isSignal(value) ? value.value : value;
  if (plain === null || plain === undefined || typeof plain === "boolean") return at(open, plain, close, without);
  const text = String(plain);
  return at(open, isScriptUrl(text) ? SAFE_URL : text, close);
}

/** Like `at`, for enumerated attributes, whose values include `true` and `false`. */
export function en(open: string, value: unknown, close = '"', without?: string): string {
  if (typeof value === "number") return `${open}${value}${close}`;
  const plain = isSignal(value) ? value.value : value;
  return at(open, typeof plain === "boolean" ? String(plain) : plain, close, without);
}

/** Like `at`, for `name` and `id` of a form field. A value that would hide a member of the form is left out (decision 104). */
export function fm(open: string, value: unknown, close?: string, without?: string): string {
  return at(open, unlessHiding(isSignal(value) ? value.value : value), close, without);
}

/** The same for an element that `document` exposes. */
export function dm(open: string, value: unknown, close?: string, without?: string): string {
  return at(open, unlessHiding(isSignal(value) ? value.value : value, isDocumentMember), close, without);
}

/**
 * Attributes of `{...props}` behind other attributes, which it overrides.
 * @param before name -> HTML of each attribute before the spread.
 */
export function over(
  before: Readonly<Record<string, string>>,
  props: Record<string, unknown>,
  skip: readonly string[] = [],
  tag = "",
): string {
  let out = "";
  for (const [name, html] of Object.entries(before)) {
    const isOverridden = Object.hasOwn(props ?? {}, name) && !skip.includes(name) && typeof props[name] !== "function";
    if (!isOverridden) out += html;
  }
  return out + spread(props, skip, tag);
}

/**
 * Attributes of `{...props}`, without handlers and invalid names.
 * @param skip names that are written separately @param tag of an element whose names may hide members. Default: another
 */
export function spread(props: Record<string, unknown>, skip: readonly string[] = [], tag = ""): string {
  let out = "";
  for (const [name, value] of Object.entries(props ?? {})) {
    if (skip.includes(name) || typeof value === "function") continue;
    if (name === "class" || name === "className") out += at(' class="', classText(value) || undefined);
    else if (name === "style") out += at(' style="', styleText(value) || undefined);
    else if (!mayBeSpread(name)) continue;
    else if (isUrlAttribute(name.toLowerCase(), undefined)) out += url(` ${name}="`, value);
    else if (isEnumerated(name.toLowerCase())) out += en(` ${name}="`, value);
    else if (membersBehind(name.toLowerCase(), tag) === "document") out += dm(` ${name}="`, value);
    else if (membersBehind(name.toLowerCase(), tag) === "form") out += fm(` ${name}="`, value);
    else out += at(` ${name}="`, value);
  }
  return out;
}
