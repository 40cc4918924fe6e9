/** The context that screens are rendered with. */
import type { App, Context, Duration } from "../index.ts";
import type { OperatorGate, Visitor } from "./operator-access.ts";

/** Shared by all screens. */
export interface Screens {
  readonly app: () => App;
  readonly gate: OperatorGate;
  /** Additional keys whose values are hidden in payloads. */
  readonly redact: readonly string[];
  /** How long a bulk action can be undone. */
  readonly undo: Duration | false;
}

/** Cookies with the visitor's preferences. */
export const DENSITY_COOKIE = "svc-ops-density";
export const ZONE_COOKIE = "svc-ops-zone";

/** A time zone that the runtime knows, or `UTC`. */
export function zoneOf(given: string | undefined): string {
  if (given === undefined || !/^[A-Za-z][\w+/-]{0,40}$/.test(given)) return "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** The context of one request. */
export interface OpsContext {
  readonly app: App;
  readonly ctx: Context;
  readonly visitor: Visitor;
  readonly nowMs: number;
  /** `https://example.com`, for copied commands. */
  readonly origin: string;
  /** Path and query of the current screen, to which forms return. */
  readonly here: string;
  /** Time zone of all times: `UTC`, `Europe/Berlin`. */
  readonly zone: string;
  /** Whether the visitor chose the compact density. */
  readonly isCompact: boolean;
  readonly redact: readonly string[];
}
