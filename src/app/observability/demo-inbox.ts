/** Deliveries that the demo's inbox has received: the last few in memory, verified on arrival. */
import type { Context } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { DELIVERY_HEADERS } from "../../platform/shared/wire.ts";
import { verify } from "../../webhooks/signing/verify.ts";

export type SignatureResult = "verified" | "wrong" | "unsigned" | "no secret";

/** Behaviour of the receiver at the first attempt of a delivery; it answers the next with 204. */
export const INBOX_BEHAVIOURS = ["well", "failing", "slow", "redirecting"] as const;
export type InboxBehaviour = (typeof INBOX_BEHAVIOURS)[number];

export interface Received {
  id: string;
  received_ms: number;
  signature: SignatureResult;
  /** Headers that a webhook receiver reads. */
  headers: Record<string, string>;
  /** Exactly as received. */
  body: string;
}

const KEPT = 50;
const SHOWN_HEADERS = [
  "content-type",
  "user-agent",
  ...Object.values(DELIVERY_HEADERS).map((name) => name.toLowerCase()),
];

export class DemoInbox {
  readonly #secret: string | undefined;
  readonly #received: Received[] = [];
  /** Deliveries whose first attempt must fail. */
  readonly #moods = new Map<string, InboxBehaviour>();

  /** @param secret SVC_WEBHOOK_SECRET, for verification. */
  constructor(secret: string | undefined) {
    this.#secret = secret;
  }

  /** Newest first. */
  get received(): readonly Received[] {
    return this.#received;
  }

  find(id: string): Received | undefined {
    return this.#received.find((item) => item.id === id);
  }

  /** Lets the first attempt of a delivery fail. */
  expect(id: string, mood: InboxBehaviour): void {
    this.#moods.set(id, mood);
    const [oldest] = this.#moods.keys();
    if (this.#moods.size > KEPT && oldest !== undefined) this.#moods.delete(oldest);
  }

  /** Behaviour for a request; called once for each. */
  moodOf(ctx: Context): InboxBehaviour {
    const id = ctx.header(DELIVERY_HEADERS.delivery.toLowerCase()) ?? "";
    const mood = this.#moods.get(id) ?? "well";
    this.#moods.delete(id);
    return mood;
  }

  add(ctx: Context, body: string, nowMs: number): void {
    const headers: Record<string, string> = {};
    for (const name of SHOWN_HEADERS) {
      const value = ctx.header(name);
      if (value !== undefined) headers[name] = value;
    }
    const id = headers[DELIVERY_HEADERS.delivery.toLowerCase()] ?? "";
    this.#received.unshift({ id, received_ms: nowMs, signature: this.#judge(headers, body, nowMs), headers, body });
    this.#received.length = Math.min(this.#received.length, KEPT);
  }

  #judge(headers: Record<string, string>, body: string, nowMs: number): SignatureResult {
    if (headers[DELIVERY_HEADERS.signature.toLowerCase()] === undefined) return "unsigned";
    if (this.#secret === undefined) return "no secret";
    try {
      verify({ body, headers, secret: this.#secret, now: nowMs });
      return "verified";
    } catch (error) {
      if (error instanceof SvcError && error.code === "SVC_UNAUTHORIZED") return "wrong";
      throw error;
    }
  }
}
