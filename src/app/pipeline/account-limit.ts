/** Limits attempts to sign in to one account, from however many addresses they come. */
import { createHash } from "node:crypto";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import { headersOf, WINDOW_SECONDS } from "../../platform/security/rate-limits/rate-limit.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RateCount, RateCounters } from "../../platform/shared/rate-counters.ts";
import { countersInProgress, tooMany } from "./rate-limits.ts";

let made = 0;

export interface AccountLimitOptions {
  /** Wrong attempts per account and minute: a whole number of at least 1. Default 10. */
  perMinute?: number;
  /** Name in `RateLimit` headers, and of its counts. Default `account-<n>`, numbered by creation. */
  name?: string;
  /** Default: the clock of the system. */
  clock?: Clock;
}

export interface AccountLimit {
  /**
   * Counts an attempt; await it before the password is checked. Attempts that run at the same time count as well. Over the limit the right
   * password is refused, too.
   * @param account as the visitor gave it; unknown accounts count like known ones. Use one form of it, such as lower case
   * @throws SvcError `SVC_RATE_LIMIT` (429) with `Retry-After`
   */
  attempt(account: string): Promise<void>;
  /** The attempt was right: it does not count. */
  succeeded(account: string): Promise<void>;
}

/**
 * Limits wrong passwords per account. `rateLimit` and `limit` count clients, and an attacker may have many addresses. Counts where
 * `rateLimit` counts: in memory, in `SVC_RATE_FILE`, or in the PostgreSQL database for all processes that share it. Outside of a request, and
 * while the file or database fails, it counts in the memory of this process.
 * @throws SvcError `SVC_DEFINITION` for an invalid limit or name
 * @example
 * const signIns = accountLimit({ perMinute: 5 });
 * await signIns.attempt("ada");
 */
export function accountLimit({
  perMinute = 10,
  name = `account-${++made}`,
  clock = systemClock,
}: AccountLimitOptions = {}): AccountLimit {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !/^[\w-]+$/.test(name))
    throw new SvcError(
      "SVC_DEFINITION",
      `accountLimit has perMinute ${perMinute} and the name "${name}"; perMinute must be a whole number of at least 1, and a name may only contain letters, digits, - and _`,
    );
  const inMemory = new MemoryCounters();
  const add = async (account: string, points: number): Promise<RateCount> => {
    const key = `${name}:${keyOf(account)}`;
    const count = (counters: RateCounters) => counters.add(key, points, WINDOW_SECONDS * 1000, clock.now());
    try {
      return await count(countersInProgress() ?? inMemory);
    } catch {
      // A file or database that can't be written must neither stop sign-ins nor disable the limit, as for other limits.
      return count(inMemory);
    }
  };
  return {
    attempt: async (account) => {
      const count = await add(account, 1);
      if (count.consumed <= perMinute) return;
      throw tooMany(
        headersOf({ name, perMinute }, count, clock.now()),
        "Too many attempts for this account. Wait for the time in Retry-After",
      );
    },
    succeeded: async (account) => void (await add(account, -1)),
  };
}

/** Of one length, whatever a visitor sends. */
function keyOf(account: string): string {
  return createHash("sha256").update(account).digest("base64url");
}
