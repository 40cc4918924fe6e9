/** The figures of a webhook's row: deliveries of the last day, and recent response times. */
import type { App } from "../../../index.ts";
import { durationText } from "../format.ts";

const DAY_MS = 86_400_000;

type Webhooks = App["webhooks"];
type Hook = Awaited<ReturnType<Webhooks["get"]>>;
type Figures = Awaited<ReturnType<Webhooks["figures"]>>;

export interface Receiver {
  hook: Hook;
  /** In the last day. */
  delivered: number;
  failed: number;
  /** Pending deliveries of any age: they are retried for days, and those of a disabled webhook wait until it is enabled. */
  pending: number;
  figures: Figures;
}

/** In the given order. Two reads for any number of webhooks: one for counts, one for response times. */
export async function receiversOf(webhooks: Webhooks, hooks: readonly Hook[], nowMs: number): Promise<Receiver[]> {
  const ids = hooks.map(({ id }) => id);
  const [tallies, figures] = await Promise.all([webhooks.tallies(ids, nowMs - DAY_MS), webhooks.allFigures(ids)]);
  return hooks.flatMap((hook, at) => {
    const [counts, own] = [tallies[at], figures[at]];
    return counts && own ? [{ hook, ...counts, figures: own }] : [];
  });
}

/** `12 ms, 340 ms`: median and 99th percentile of the response times. */
export function latencyText({ p50_ms: half, p99_ms: most }: Figures): string {
  return half === null || most === null ? "–" : `${durationText(half)}, ${durationText(most)}`;
}

export function stateOf({ enabled, state, disabled_reason: reason }: Hook): { tone: string; word: string } {
  if (reason === "gone") return { tone: "bad", word: "disabled after a 410 response" };
  if (reason === "failing") return { tone: "bad", word: "disabled after 120 h of failures" };
  if (!enabled) return { tone: "held", word: "disabled" };
  return state === "failing" ? { tone: "warn", word: "failing" } : { tone: "good", word: "active" };
}
