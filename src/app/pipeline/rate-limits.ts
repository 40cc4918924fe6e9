/** The rate limits of an app: those of all actions and of all submits, those of single ones, and `rateLimit` around its author's own routes. */
import { RequestContext } from "../../platform/http/request/context.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import type { Middleware } from "../../platform/http/types.ts";
import { MemoryCounters } from "../../platform/security/memory-counters.ts";
import { RateLimit, type OnRefused } from "../../platform/security/rate-limit.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RateCounters } from "../../platform/shared/rate-counters.ts";
import { RateFile } from "../../storage/sqlite/rate-file.ts";
import { specOf, type AnyAction } from "../actions/action.ts";
import type { SubmitDefinition } from "../forms/submit.ts";
import type { Config } from "../lifecycle/config.ts";

interface LimitsOptions {
  config: Pick<Config, "actionsPerMinute" | "submitsPerMinute">;
  clock: Clock;
  actions: ReadonlyMap<string, AnyAction>;
  submits: ReadonlyMap<string, SubmitDefinition>;
  /** That of `SVC_RATE_FILE`. */
  file: RateFile | undefined;
  /** Those of a store that processes share; the file stands above them. */
  shared: RateCounters | undefined;
  /** Told of each refusal. */
  onRefused: OnRefused;
}

/** @returns undefined where `SVC_RATE_FILE` is not set. @throws SvcError `SVC_STORE` when it can't be used */
export async function openRateFile({ rateFile }: Pick<Config, "rateFile">): Promise<RateFile | undefined> {
  return rateFile === undefined ? undefined : RateFile.open(rateFile);
}

/** What an app counts, and where. */
export class Limits {
  readonly #clock: Clock;
  readonly #counters: RateCounters;
  readonly #file: RateFile | undefined;
  readonly #onRefused: OnRefused;
  readonly #shared: RateLimit;
  readonly #own = new Map<string, RateLimit>();
  readonly #submits: RateLimit;
  readonly #ownOfSubmits = new Map<string, RateLimit>();
  /** Forms that routes read to find the CSRF token in them. */
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

  /** The limit that calls of an action count for: its own, or that of all. */
  ofAction(name: string): RateLimit {
    return this.#own.get(name) ?? this.#shared;
  }

  /** As `ofAction`, of a submit. */
  ofSubmit(name: string): RateLimit {
    return this.#ownOfSubmits.get(name) ?? this.#submits;
  }

  make(name: string, perMinute: number): RateLimit {
    const [clock, counters, onRefused] = [this.#clock, this.#counters, this.#onRefused];
    return new RateLimit({ name, perMinute, clock, counters, onRefused });
  }

  /** Has those of `middleware` that `rateLimit` made count where and when this app does. */
  adopt(middleware: readonly Middleware[]): void {
    for (const each of middleware) adopters.get(each)?.(this);
  }

  close(): void {
    this.#file?.close();
  }
}

const adopters = new WeakMap<Middleware, (limits: Limits) => void>();
let made = 0;

export interface RateLimitOptions {
  /** Requests of one client (IPv4 address, IPv6 /64) in a minute: whole, from 1. */
  perMinute: number;
  /** Tells limits apart in `RateLimit` headers; letters, digits, `-`, `_`. Default `requests-<n>`, the nth that is made. */
  name?: string;
}

/**
 * Middleware that lets a client through so many times a minute; after that it answers 429 with `Retry-After`. All routes
 * around which the same one stands count together. Counted in memory, in `SVC_RATE_FILE`, or by all
 * processes together where they share a PostgreSQL database.
 * @throws SvcError `SVC_DEFINITION`
 */
export function rateLimit({ perMinute, name = `requests-${++made}` }: RateLimitOptions): Middleware {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !/^[\w-]+$/.test(name)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `rateLimit was given perMinute ${perMinute} and the name "${name}"; perMinute is a whole number from 1, a name is letters, digits, - and _`,
    );
  }
  let limit = new RateLimit({ name, perMinute, clock: systemClock });
  const limited: Middleware = async (ctx, next) => {
    // Who asks decides whether there is an answer, and nothing of what it holds.
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

/** @param flat headers of the refusal */
export function tooMany(flat: readonly string[], message = "Too many requests"): SvcError {
  const headers: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) headers[flat[at] as string] = flat[at + 1] as string;
  return new SvcError("SVC_RATE_LIMIT", message, { headers });
}
