/**
 * Writing values into HTML by context. Everything that comes from data passes one of these; the compiler decides which.
 * docs/resume-protocol.md section 4.
 */
import { isSignal } from "../reactivity/signal.ts";
import { classText, styleText } from "../../platform/shared/class-style.ts";
import { escapeAttribute, escapeText } from "../../platform/shared/escape.ts";
import { isEnumerated, URL_ATTRIBUTES } from "../../platform/shared/html.ts";
import { isScriptUrl, SAFE_URL } from "../../platform/shared/script-url.ts";
import { DOM } from "../../platform/shared/wire.ts";
import { Html } from "./html.ts";

// What is called for every piece of data of a page stands first in its function and is kept short: then V8 puts it into the
// component itself. `npm run bench:ssr` tells what an edit costs.

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

/** What a template literal in an attribute's value puts in place of `${value}`. */
export function a(value: unknown): string {
  return escapeAttribute(typeof value === "string" ? value : String(value));
}

/**
 * What `value.toFixed(digits)` gives. Of a number it holds digits, a sign, a point, an exponent or a word, and nothing to escape; what
 * else has a method of that name may give anything.
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
 * A whole attribute in the text around it, or that text alone: each piece that is handed in is one less to be put together.
 * @param open what stands before, then ` name="`
 * @param close the quote, then what stands behind
 * @param without what stands before and behind, for a value that is none
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

/** As `at`, for attributes that hold a URL; one that would run script becomes `about:blank`. */
export function url(open: string, value: unknown, close?: string, without?: string): string {
  const plain = isSignal(value) ? value.value : value;
  if (plain === null || plain === undefined || typeof plain === "boolean") return at(open, plain, close, without);
  const text = String(plain);
  return at(open, isScriptUrl(text) ? SAFE_URL : text, close);
}

/** As `at`, for attributes of which `true` and `false` are both values. */
export function en(open: string, value: unknown, close = '"', without?: string): string {
  if (typeof value === "number") return `${open}${value}${close}`;
  const plain = isSignal(value) ? value.value : value;
  return at(open, typeof plain === "boolean" ? String(plain) : plain, close, without);
}

const ATTRIBUTE_NAME = /^[a-zA-Z_:][\w:.-]*$/;
/** Never written from a spread: they are not attributes, or they hold code or HTML. */
const NOT_SPREAD = /^(?:children|key|ref|dangerouslySetInnerHTML|srcdoc|style|on.*)$/i;
/** Nor are these: they tell the browser which code to fetch, so data must not name them. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  DOM.scope,
  DOM.key,
  DOM.media,
  DOM.portal,
  DOM.boundary,
  DOM.wait,
  DOM.piece,
  DOM.more,
]);

/** @param skip names that are written by themselves. Attributes of `{...props}`; handlers and odd names are left out. */
export function spread(props: Record<string, unknown>, skip: readonly string[] = []): string {
  let out = "";
  for (const [name, value] of Object.entries(props ?? {})) {
    if (skip.includes(name) || typeof value === "function" || !ATTRIBUTE_NAME.test(name)) continue;
    if (name === "class" || name === "className") out += at(' class="', classText(value) || undefined);
    else if (name === "style") out += at(' style="', styleText(value) || undefined);
    else if (NOT_SPREAD.test(name) || PROTOCOL_NAMES.has(name.toLowerCase())) continue;
    else if (URL_ATTRIBUTES.has(name.toLowerCase())) out += url(` ${name}="`, value);
    else if (isEnumerated(name.toLowerCase())) out += en(` ${name}="`, value);
    else out += at(` ${name}="`, value);
  }
  return out;
}
