/** The rate limits of an app: for all actions, for all submits, for single ones, and `rateLimit` for routes. */
import { RequestContext } from "../../platform/http/request/context.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import type { Middleware } from "../../platform/http/types.ts";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import { RateLimit, type OnRefused } from "../../platform/security/rate-limits/rate-limit.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RateCounters } from "../../platform/shared/rate-counters.ts";
import { RateFile } from "../../storage/sqlite/rate-file.ts";
import { specOf, type AnyAction } from "../actions/action.ts";
import type { SubmitDefinition } from "../forms/submit.ts";
import type { SessionKeys } from "../../platform/http/sessions/cookie-jar.ts";
import type { Config } from "../lifecycle/config.ts";
import { requestInProgress } from "./current-request.ts";

interface LimitsOptions {
  config: Pick<Config, "actionsPerMinute" | "submitsPerMinute">;
  clock: Clock;
  actions: ReadonlyMap<string, AnyAction>;
  submits: ReadonlyMap<string, SubmitDefinition>;
  /** Counters of `SVC_RATE_FILE`. */
  file: RateFile | undefined;
  /** Counters of a database that processes share; the file overrides them. */
  shared: RateCounters | undefined;
  /** Called for each refused request. */
  onRefused: OnRefused;
}

/** @returns undefined if `SVC_RATE_FILE` is not set. @throws SvcError `SVC_STORE` if the file can't be used */
export async function openRateFile({ rateFile }: Pick<Config, "rateFile">): Promise<RateFile | undefined> {
  return rateFile === undefined ? undefined : RateFile.open(rateFile);
}

/** Counters by the keys of their app, which its requests have. */
const countersOfApps = new WeakMap<SessionKeys, RateCounters>();

/** The counters of the app whose request is being handled; undefined outside of one. */
export function countersInProgress(): RateCounters | undefined {
  const ctx = requestInProgress();
  const keys = ctx instanceof RequestContext ? ctx.keys : undefined;
  return keys && countersOfApps.get(keys);
}

/** The limits of an app, and their counters. */
export class Limits {
  readonly #clock: Clock;
  readonly #counters: RateCounters;
  readonly #file: RateFile | undefined;
  readonly #onRefused: OnRefused;
  readonly #shared: RateLimit;
  readonly #own = new Map<string, RateLimit>();
  readonly #submits: RateLimit;
  readonly #ownOfSubmits = new Map<string, RateLimit>();
  /** Limit of forms that routes read to find the CSRF token. */
  readonly ofForms: RateLimit;

  constructor({ config, clock, actions, submits, file, shared, onRefused }: LimitsOptions) {
    this.#clock = clock;
    this.#onRefused = onRefused;
    this.#file = file;
    this.#counters = file ?? shared ?? new MemoryCounters();
    this.#shared = this.make("actions", config.actionsPerMinute);
    this.#submits = this.make("submits", config.submitsPerMinute);
    this.ofForms = this.make("forms", config.submitsPerMinute);
    for (const [name, { limit }] of submits) {
      if (limit) this.#ownOfSubmits.set(name, this.make(`submit-${name}`, limit.perMinute));
    }
    for (const [name, target] of actions) {
      const { limit } = specOf(target).options;
      if (limit) this.#own.set(name, this.make(`action-${name}`, limit.perMinute));
    }
  }

  /** The limit for calls of an action: its own, or the shared one. */
  ofAction(name: string): RateLimit {
    return this.#own.get(name) ?? this.#shared;
  }

  /** The limit for a submit: its own, or the shared one. */
  ofSubmit(name: string): RateLimit {
    return this.#ownOfSubmits.get(name) ?? this.#submits;
  }

  make(name: string, perMinute: number): RateLimit {
    const [clock, counters, onRefused] = [this.#clock, this.#counters, this.#onRefused];
    return new RateLimit({ name, perMinute, clock, counters, onRefused });
  }

  /** Connects `rateLimit` middleware to the clock and counters of this app. */
  adopt(middleware: readonly Middleware[]): void {
    for (const each of middleware) adopters.get(each)?.(this);
  }

  /** Makes the counters available to code of the app that has a request but no limit, such as `accountLimit`. */
  serve(keys: SessionKeys): void {
    countersOfApps.set(keys, this.#counters);
  }

  close(): void {
    this.#file?.close();
  }
}

const adopters = new WeakMap<Middleware, (limits: Limits) => void>();
let made = 0;

export interface RateLimitOptions {
  /** Requests per client (IPv4 address, IPv6 /64) and minute: a whole number of at least 1. All clients of an IPv6 /48 share 16 times as many. */
  perMinute: number;
  /** Name in `RateLimit` headers: letters, digits, `-`, `_`. Default `requests-<n>`, numbered by creation. */
  name?: string;
}

/**
 * Middleware that limits the requests of a client per minute; further ones get 429 with `Retry-After`. Routes that share one middleware
 * object share its limit. Counts in memory, in `SVC_RATE_FILE`, or in the PostgreSQL database for all processes that share it.
 * @throws SvcError `SVC_DEFINITION` for an invalid limit or name
 * @example
 * route("POST", "/votes", () => json({ ok: true }), { middleware: [rateLimit({ perMinute: 10, name: "votes" })] });
 */
export function rateLimit({ perMinute, name = `requests-${++made}` }: RateLimitOptions): Middleware {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !/^[\w-]+$/.test(name)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `rateLimit has perMinute ${perMinute} and the name "${name}"; perMinute must be a whole number of at least 1, and a name may only contain letters, digits, - and _`,
    );
  }
  let limit = new RateLimit({ name, perMinute, clock: systemClock });
  const limited: Middleware = async (ctx, next) => {
    // The client decides whether the request passes, but not the content of the response, so a page may still be shared.
    const clientIp = ctx instanceof RequestContext ? ctx.unseen(() => ctx.clientIp) : ctx.clientIp;
    const target = (ctx instanceof RequestContext ? ctx.route?.pattern : undefined) ?? name;
    const { isAllowed, headers } = await limit.take(clientIp, target);
    if (!isAllowed) throw tooMany(headers);
    const result = toResult(await next());
    return { ...result, headers: [...result.headers, ...headers] };
  };
  adopters.set(limited, (limits) => void (limit = limits.make(name, perMinute)));
  return limited;
}

/** @param flat headers of the refusal: names and values in turn */
export function tooMany(flat: readonly string[], message = "Too many requests"): SvcError {
  const headers: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) headers[flat[at] as string] = flat[at + 1] as string;
  return new SvcError("SVC_RATE_LIMIT", message, { headers });
}
