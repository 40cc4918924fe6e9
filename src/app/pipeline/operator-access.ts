/**
 * Decides who is an operator: the bearer of `SVC_EXEC_API_KEY`, and under `svc dev` the visitor who opens the one-time link. Invalid keys
 * and links count for one limit, whether they are used as a bearer key, at the sign-in or as a link.
 */
import { createHash } from "node:crypto";
import { FailureLimit } from "../../platform/security/rate-limits/failure-limit.ts";
import type { OneTimeLink } from "../../platform/security/one-time-link.ts";
import type { OnRefused } from "../../platform/security/rate-limits/rate-limit.ts";
import { isEqualSecret } from "../../platform/security/secrets.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Config } from "../lifecycle/config.ts";
import { tooMany } from "./rate-limits.ts";

/** Enough for a person who mistypes. */
const FAILURES_PER_MINUTE = 10;

/** The way in which somebody became an operator. */
export type OperatorProof = "key" | "link";

export interface OperatorAccessOptions {
  config: Pick<Config, "execApiKey" | "exposes">;
  clock: Clock;
  /** The one-time link of `svc dev`. */
  link: Pick<OneTimeLink, "redeem" | "issuer"> | undefined;
  onRefused: OnRefused;
}

export class OperatorAccess {
  readonly #key: string | undefined;
  readonly #link: OperatorAccessOptions["link"];
  readonly #limit: FailureLimit;

  constructor({ config, clock, link, onRefused }: OperatorAccessOptions) {
    this.#key = config.execApiKey;
    this.#link = config.exposes.operatorLink ? link : undefined;
    this.#limit = new FailureLimit({ name: "operator-key", perMinute: FAILURES_PER_MINUTE, clock, onRefused });
  }

  /** Does not count failures: for requests that `accepts` has already checked. */
  isKey(text: string): boolean {
    return this.#key !== undefined && isEqualSecret(text, this.#key);
  }

  /** @throws SvcError `SVC_RATE_LIMIT` for a client over the limit */
  requireAttempt(clientIp: string, target?: string): void {
    const refusal = this.#limit.refusal(clientIp, target);
    if (refusal)
      throw tooMany(refusal, "Too many invalid operator keys from this address. Wait for the time in Retry-After");
  }

  /**
   * Whether the text is a valid key or link; an invalid one counts for the limit. Without a configured key or link, nothing counts.
   * @param target target of the request, as for `RateLimit.take`
   * @throws SvcError `SVC_RATE_LIMIT` for a client over the limit, whether the text is valid or not
   */
  accepts(proof: OperatorProof, text: string, clientIp: string, target?: string): boolean {
    if (this.sessionPurpose(proof) === undefined) return false;
    this.requireAttempt(clientIp, target);
    const isRight = proof === "key" ? this.isKey(text) : this.#link?.redeem(text) === true;
    if (!isRight) this.#limit.failed(clientIp);
    return isRight;
  }

  /**
   * The purpose for sealing such an operator's session: a new key, or a new process of `svc dev`, ends it. Undefined if there is no key or
   * link.
   */
  sessionPurpose(proof: OperatorProof): string | undefined {
    if (proof === "link") return this.#link && `ops link ${this.#link.issuer}`;
    return this.#key && `ops key ${createHash("sha256").update(this.#key).digest("base64url")}`;
  }
}
