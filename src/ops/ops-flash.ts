/**
 * The flash message after an action, shown once on the next screen. It is sealed in a cookie, because it may contain a new secret, which
 * must not be in a URL or a store.
 */
import type { App, Context } from "../index.ts";
import type { Json } from "../graph.ts";
import { OPS_PATH } from "./operator-access.ts";

export interface OpsFlash {
  tone: "good" | "bad";
  text: string;
  /** A text to copy, shown only once. */
  once?: string;
}

const COOKIE = "svc-ops-told";
const PURPOSE = "ops told";
/** Long enough for a redirect on a bad connection. */
const LIFETIME = "60s";
/** Longer messages would not fit into a cookie. */
const MAX_LENGTH = 600;

export function setOpsFlash(ctx: Context, app: App, { tone, text, once }: OpsFlash): void {
  const flash = { tone, text: text.slice(0, MAX_LENGTH), ...(once !== undefined && { once }) };
  ctx.setCookie(COOKIE, app.seal(PURPOSE, flash, LIFETIME), { path: OPS_PATH, sameSite: "Strict", maxAgeSeconds: 60 });
}

export function takeOpsFlash(ctx: Context, app: App): OpsFlash | undefined {
  const given = ctx.cookies[COOKIE];
  if (given === undefined) return undefined;
  ctx.deleteCookie(COOKIE, { path: OPS_PATH });
  return asFlash(app.unseal(PURPOSE, given));
}

function asFlash(value: Json | undefined): OpsFlash | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const { tone, text, once } = value;
  if (typeof text !== "string") return undefined;
  return { tone: tone === "bad" ? "bad" : "good", text, ...(typeof once === "string" && { once }) };
}
