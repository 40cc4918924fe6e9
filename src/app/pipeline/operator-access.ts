/**
 * Decides who is an operator: the bearer of `SVC_EXEC_API_KEY`, and under `svc dev` whoever opens the one-time link. Wrong keys and
 * links count for one limit, wherever they are tried: as a bearer key, at the sign-in, or as a link.
 */
import { createHash } from "node:crypto";
import { FailureLimit } from "../../platform/security/failure-limit.ts";
import type { OneTimeLink } from "../../platform/security/one-time-link.ts";
import type { OnRefused } from "../../platform/security/rate-limit.ts";
import { isEqualSecret } from "../../platform/security/secrets.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Config } from "../lifecycle/config.ts";
import { tooMany } from "./rate-limits.ts";

/** Enough for a person who mistypes. */
const FAILURES_PER_MINUTE = 10;

/** How somebody became an operator. */
export type OperatorProof = "key" | "link";

export interface OperatorAccessOptions {
  config: Pick<Config, "execApiKey" | "exposes">;
  clock: Clock;
  /** That of `svc dev`. */
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

  /** Without counting: for requests that `accepts` has judged. */
  isKey(text: string): boolean {
    return this.#key !== undefined && isEqualSecret(text, this.#key);
  }

  /** @throws SvcError `SVC_RATE_LIMIT` for a client over the limit */
  requireAttempt(clientIp: string, target?: string): void {
    const refusal = this.#limit.refusal(clientIp, target);
    if (refusal)
      throw tooMany(refusal, "Too many wrong operator keys from this address; wait as long as Retry-After says");
  }

  /**
   * Whether the text proves what it claims to; a wrong one counts. Where no key is set, or there is no link, there is nothing to guess.
   * @param target what was asked for, as `RateLimit.take` has it
   * @throws SvcError `SVC_RATE_LIMIT` for a client over the limit, whether the text is right or wrong
   */
  accepts(proof: OperatorProof, text: string, clientIp: string, target?: string): boolean {
    if (this.sessionPurpose(proof) === undefined) return false;
    this.requireAttempt(clientIp, target);
    const isRight = proof === "key" ? this.isKey(text) : this.#link?.redeem(text) === true;
    if (!isRight) this.#limit.failed(clientIp);
    return isRight;
  }

  /**
   * The purpose that a session of such an operator is sealed for: another key, and another process of `svc dev`, end it. Undefined where
   * nobody can become an operator so.
   */
  sessionPurpose(proof: OperatorProof): string | undefined {
    if (proof === "link") return this.#link && `ops link ${this.#link.issuer}`;
    return this.#key && `ops key ${createHash("sha256").update(this.#key).digest("base64url")}`;
  }
}
