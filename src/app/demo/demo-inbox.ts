/** Samples that the demo's inbox has received: the last few in memory. It accepts only those that this process has signed. */
import type { Context } from "../../platform/http/types.ts";
import { DELIVERY_HEADERS } from "../../platform/shared/wire.ts";
import { verify } from "../../webhooks/signing/verify.ts";

/** Behaviour of the receiver at the first attempt of a delivery; it answers the next with 204. */
export const INBOX_BEHAVIOURS = ["well", "failing", "slow", "redirecting"] as const;
export type InboxBehaviour = (typeof INBOX_BEHAVIOURS)[number];

export interface Received {
  id: string;
  received_ms: number;
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
  readonly #secret: string;
  readonly #received: Received[] = [];
  /** Behaviour at the first attempt of each delivery that the demo has sent. */
  readonly #sent = new Map<string, InboxBehaviour>();

  /** @param secret with which the demo signs. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  find(id: string): Received | undefined {
    return this.#received.find((item) => item.id === id);
  }

  /** Whether the demo has sent it lately. */
  hasSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** Notes a delivery of the demo, and how its first attempt shall end. */
  expect(id: string, mood: InboxBehaviour): void {
    this.#sent.set(id, mood);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > KEPT && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** Behaviour for a request; called once for each. */
  moodOf(ctx: Context): InboxBehaviour {
    const id = ctx.header(DELIVERY_HEADERS.delivery.toLowerCase()) ?? "";
    const mood = this.#sent.get(id) ?? "well";
    if (mood !== "well") this.#sent.set(id, "well");
    return mood;
  }

  /** @throws SvcError `SVC_UNAUTHORIZED` for a request that the demo has not signed */
  requireSignature(ctx: Context, body: string, nowMs: number): void {
    verify({ body, headers: headersOf(ctx), secret: this.#secret, now: nowMs });
  }

  add(ctx: Context, body: string, nowMs: number): void {
    const headers = headersOf(ctx);
    const id = headers[DELIVERY_HEADERS.delivery.toLowerCase()] ?? "";
    this.#received.unshift({ id, received_ms: nowMs, headers, body });
    this.#received.length = Math.min(this.#received.length, KEPT);
  }
}

function headersOf(ctx: Context): Record<string, string> {
  const given = SHOWN_HEADERS.map((name) => [name, ctx.header(name)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
