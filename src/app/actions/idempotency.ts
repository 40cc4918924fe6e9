/**
 * Idempotent calls: with an `Idempotency-Key` an action runs once, and a repeated call gets the first answer (IETF
 * draft-ietf-httpapi-idempotency-key-header). The key is claimed durably before the action runs, and the answer stored durably before it
 * is sent, so a call that a crash interrupted does not run twice either.
 */
import { createHash } from "node:crypto";
import type { Context, Result } from "../../platform/http/types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { COOKIES, HEADERS, type ActionReply } from "../../platform/shared/wire.ts";
import { AnswerBudget } from "./answer-budget.ts";
import type { AnswerRow, AnswerStore } from "../../storage/contract/session-store.ts";

const HOUR_MS = 3_600_000;
/** Time to keep an answer: a day, as in most APIs. */
const KEPT_MS = 24 * HOUR_MS;
const PURGE_EVERY_MS = HOUR_MS;

/** Stored instead of an answer over the budget: the call still runs once. */
const NOT_KEPT: { status: number; body: string } = {
  status: 409,
  body: JSON.stringify({
    ok: false,
    value: null,
    error: "This call has already run, but its answer was not kept. Read the current state before you call again",
  } satisfies ActionReply),
};

/** One call of an action or submit. */
export interface KeyedCall {
  ctx: Context;
  /** Name of the action or submit. */
  name: string;
  /** Arguments as JSON. */
  args: string;
  /** Additional headers of the response: name, value, name, value … */
  headers: readonly string[];
}

export interface IdempotencyOptions {
  store: AnswerStore;
  clock: Clock;
  log: Log;
}

export class IdempotencyStore {
  readonly #store: AnswerStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #budget: AnswerBudget;
  #purgeDueMs = -Infinity;

  constructor({ store, clock, log }: IdempotencyOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#budget = new AnswerBudget(clock, KEPT_MS);
  }

  /**
   * Runs a call with a key, or returns its stored answer.
   * @param run answers the call, whatever its outcome
   * @throws SvcError `SVC_INVALID` for an invalid key, or one that was used with other arguments; with status 409 while the first call is
   * running, or was interrupted
   */
  async once(key: string, call: KeyedCall, run: () => Promise<Result>): Promise<Result> {
    const nowMs = this.#clock.now();
    this.#purge(nowMs);
    const claim = { id: idOf(key, call), bodyHash: hash(call.args), createdMs: nowMs, answer: undefined };
    const known = await this.#store.claim(claim, nowMs - KEPT_MS);
    if (known) return replay(known, claim.bodyHash, call.headers);
    const result = await run();
    const text = textOf(result);
    const isKept = this.#budget.accepts(call.ctx.clientIp, Buffer.byteLength(text));
    await this.#store.settle(claim.id, isKept ? result.status : NOT_KEPT.status, isKept ? text : NOT_KEPT.body);
    return result;
  }

  #purge(nowMs: number): void {
    const elapsedMs = this.#clock.elapsed();
    if (elapsedMs < this.#purgeDueMs) return;
    this.#purgeDueMs = elapsedMs + PURGE_EVERY_MS;
    // Not awaited: rows that can't be deleted now are deleted next time.
    this.#store
      .purge(nowMs - KEPT_MS)
      .catch((err: unknown) => this.#log.warn({ err }, "Old answers could not be deleted"));
  }
}

function replay(known: AnswerRow, bodyHash: string, more: readonly string[]): Result {
  if (known.bodyHash !== bodyHash) {
    throw new SvcError(
      "SVC_INVALID",
      "This idempotency key was used with other arguments. Use a new key for a new request",
    );
  }
  if (!known.answer) {
    throw new SvcError(
      "SVC_INVALID",
      "A call with this idempotency key is running, or was interrupted before its response was stored",
      {
        status: 409,
        headers: { "retry-after": "1" },
      },
    );
  }
  const headers = ["content-type", "application/json; charset=utf-8", "cache-control", "no-store"];
  return {
    status: known.answer.status,
    headers: [...headers, HEADERS.idempotencyReplayed, "true", ...more],
    body: known.answer.body,
  };
}

/** Keys belong to a client: the same text of another session or for another action is another key. */
function idOf(header: string, { ctx, name }: KeyedCall): string {
  // The draft requires quotes; many clients omit them.
  const key = /^"([\x21\x23-\x7e]{1,255})"$|^([\x21\x23-\x7e]{1,255})$/.exec(header);
  if (!key) {
    throw new SvcError("SVC_INVALID", "Invalid Idempotency-Key: send 1 to 255 visible ASCII characters without quotes");
  }
  return hash(JSON.stringify([name, ctx.cookie(COOKIES.csrf), ctx.sessionId, key[1] ?? key[2]]));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Answers of actions are JSON. */
function textOf({ body }: Result): string {
  return typeof body === "string" ? body : "";
}
