/** A receiver as its row tells of it: what became of deliveries in a day, and how it has answered lately. */
import type { App } from "../../../index.ts";
import { durationText } from "./text.ts";

const DAY_MS = 86_400_000;

type Webhooks = App["webhooks"];
type Hook = Awaited<ReturnType<Webhooks["get"]>>;
type Figures = Awaited<ReturnType<Webhooks["figures"]>>;

export interface Receiver {
  hook: Hook;
  /** Of the last day. */
  delivered: number;
  failed: number;
  pending: number;
  figures: Figures;
}

export async function receiverOf(webhooks: Webhooks, hook: Hook, nowMs: number): Promise<Receiver> {
  const count = async (status: string): Promise<number> => {
    const query = { status, since_ms: String(nowMs - DAY_MS), limit: "1" };
    return (await webhooks.deliveries(new URLSearchParams(query), hook.id)).total;
  };
  const [delivered, failed, pending, figures] = await Promise.all([
    count("delivered"),
    count("failed"),
    count("pending"),
    webhooks.figures(hook.id),
  ]);
  return { hook, delivered, failed, pending, figures };
}

/** `12 ms, 340 ms`: half of the answers, and all but one of a hundred, were there in that. */
export function latencyText({ p50_ms: half, p99_ms: most }: Figures): string {
  return half === null || most === null ? "–" : `${durationText(half)}, ${durationText(most)}`;
}

export function stateOf({ enabled, state, disabled_reason: reason }: Hook): { tone: string; word: string } {
  if (reason === "gone") return { tone: "bad", word: "disabled: its receiver is gone" };
  if (reason === "failing") return { tone: "bad", word: "disabled after 120 h of failures" };
  if (!enabled) return { tone: "held", word: "off" };
  return state === "failing" ? { tone: "warn", word: "failing" } : { tone: "good", word: "active" };
}
