/**
 * Log lines about attempts to get past a protection, with the field `category: "security"`, for alerts and for tools that block clients.
 * An attacker must not fill the disk, so there is a limit per event and minute; the number of further ones is logged once.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log, LogFields } from "../../platform/shared/log.ts";
import { SignatureRefusal } from "../../webhooks/signing/verify.ts";
import { CsrfRefusal } from "../pipeline/csrf-guard.ts";

const TEXTS = {
  "sign-in-failed": "A sign-in to the operator screens failed",
  "wrong-key": "A request had a wrong operator key",
  "csrf-refused": "A request without a valid CSRF token or origin was refused",
  "host-refused": "A request for an unknown host was refused",
  "signature-refused": "A webhook without a valid signature was refused",
  "rate-limited": "A client was refused by a rate limit",
} as const;

export type SecurityEvent = keyof typeof TEXTS;

/** Lines per event and minute. */
const PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** The parts of a request that a line contains. Its path may contain tokens, so the line has its route. */
export interface SecuritySubject {
  readonly requestId?: string;
  readonly clientIp?: string;
  readonly route?: { readonly pattern: string } | undefined;
}

export class SecurityLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #counts = new Map<SecurityEvent, { untilMs: number; count: number }>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Logs an error of a request if it is about a protection. */
  refused(error: unknown, subject: SecuritySubject): void {
    const event = eventOf(error);
    if (event) this.note(event, subject);
  }

  note(event: SecurityEvent, { requestId, clientIp, route }: SecuritySubject): void {
    if (this.#isOver(event)) return;
    const fields: LogFields = {
      category: "security",
      event,
      ...(clientIp !== undefined && { client: clientIp }),
      ...(route && { route: route.pattern }),
      ...(requestId !== undefined && { reqId: requestId }),
    };
    this.#log.warn(fields, TEXTS[event]);
  }

  #isOver(event: SecurityEvent): boolean {
    const nowMs = this.#clock.now();
    const known = this.#counts.get(event);
    if (known && nowMs < known.untilMs) return ++known.count > PER_MINUTE;
    this.#counts.set(event, { untilMs: nowMs + MINUTE_MS, count: 1 });
    const omitted = known ? known.count - PER_MINUTE : 0;
    if (omitted > 0)
      this.#log.warn({ category: "security", event, omitted }, `${TEXTS[event]}: further ones were not logged`);
    return false;
  }
}

function eventOf(error: unknown): SecurityEvent | undefined {
  if (error instanceof CsrfRefusal) return "csrf-refused";
  if (error instanceof SignatureRefusal) return "signature-refused";
  if (!(error instanceof SvcError)) return undefined;
  if (error.code === "SVC_HOST") return "host-refused";
  return error.code === "SVC_RATE_LIMIT" ? "rate-limited" : undefined;
}
