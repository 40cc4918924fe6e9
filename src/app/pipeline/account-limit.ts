/** Limits attempts to sign in to one account, from however many addresses they come. */
import { createHash } from "node:crypto";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import { headersOf, WINDOW_SECONDS } from "../../platform/security/rate-limits/rate-limit.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { tooMany } from "./rate-limits.ts";

export interface AccountLimitOptions {
  /** Wrong attempts per account and minute: a whole number of at least 1. Default 10. */
  perMinute?: number;
  /** Name in `RateLimit` headers. Default `account`. */
  name?: string;
  /** Default: the clock of the system. */
  clock?: Clock;
}

export interface AccountLimit {
  /**
   * Counts an attempt, before the password is checked: attempts that run at the same time count as well. Over the limit the right
   * password is refused, too.
   * @param account as the visitor gave it; unknown accounts count like known ones. Use one form of it, such as lower case
   * @throws SvcError `SVC_RATE_LIMIT` (429) with `Retry-After`
   */
  attempt(account: string): void;
  /** The attempt was right: it does not count. */
  succeeded(account: string): void;
}

/**
 * Limits wrong passwords per account. `rateLimit` and `limit` count clients, and an attacker may have many addresses. Counts in the memory
 * of this process, so with several processes each allows as many.
 * @throws SvcError `SVC_DEFINITION` for an invalid limit or name
 * @example
 * const signIns = accountLimit({ perMinute: 5 });
 * signIns.attempt("ada");
 */
export function accountLimit({
  perMinute = 10,
  name = "account",
  clock = systemClock,
}: AccountLimitOptions = {}): AccountLimit {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !/^[\w-]+$/.test(name))
    throw new SvcError(
      "SVC_DEFINITION",
      `accountLimit has perMinute ${perMinute} and the name "${name}"; perMinute must be a whole number of at least 1, and a name may only contain letters, digits, - and _`,
    );
  const counters = new MemoryCounters();
  const add = (account: string, points: number) =>
    counters.add(keyOf(account), points, WINDOW_SECONDS * 1000, clock.now());
  return {
    attempt: (account) => {
      const count = add(account, 1);
      if (count.consumed <= perMinute) return;
      throw tooMany(
        headersOf({ name, perMinute }, count, clock.now()),
        "Too many attempts for this account. Wait for the time in Retry-After",
      );
    },
    succeeded: (account) => void add(account, -1),
  };
}

/** Of one length, whatever a visitor sends. */
function keyOf(account: string): string {
  return createHash("sha256").update(account).digest("base64url");
}
