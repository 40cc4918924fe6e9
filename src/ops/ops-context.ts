/** What a screen is made with. */
import type { App, Context, Duration } from "../index.ts";
import type { OperatorGate, Visitor } from "./operator-access.ts";

/** What all screens share. */
export interface Screens {
  readonly app: () => App;
  readonly gate: OperatorGate;
  /** Names of keys that payloads don't show, beside the usual ones. */
  readonly redact: readonly string[];
  /** How long a step for many runs can be undone. */
  readonly undo: Duration | false;
}

/** What a visitor likes better, kept in a cookie. */
export const DENSITY_COOKIE = "svc-ops-density";
export const ZONE_COOKIE = "svc-ops-zone";

/** The name of a time zone that this runtime knows, or `UTC`. */
export function zoneOf(given: string | undefined): string {
  if (given === undefined || !/^[A-Za-z][\w+/-]{0,40}$/.test(given)) return "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** One of them, for one request. */
export interface OpsContext {
  readonly app: App;
  readonly ctx: Context;
  readonly visitor: Visitor;
  readonly nowMs: number;
  /** `https://example.com`, for commands that are copied. */
  readonly origin: string;
  /** Path and query of this screen: where a form leads back to. */
  readonly here: string;
  /** In which times are written: `UTC`, `Europe/Berlin`. */
  readonly zone: string;
  /** Whether this visitor wants more rows on a screen. */
  readonly isCompact: boolean;
  readonly redact: readonly string[];
}
