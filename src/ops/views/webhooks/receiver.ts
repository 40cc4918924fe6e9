/** A receiver as its row tells of it: what became of deliveries in a day, and how it has answered lately. */
import type { App } from "../../../index.ts";
import { durationText } from "../format.ts";

const DAY_MS = 86_400_000;

type Webhooks = App["webhooks"];
type Hook = Awaited<ReturnType<Webhooks["get"]>>;
type Figures = Awaited<ReturnType<Webhooks["figures"]>>;

export interface Receiver {
  hook: Hook;
  /** Of the last day. */
  delivered: number;
  failed: number;
  /** However long ago it was made: deliveries are tried for days, and those of a webhook that is off wait for it. */
  pending: number;
  figures: Figures;
}

/** In the order in which they are given. Their counts take one look and their answers another, however many they are. */
export async function receiversOf(webhooks: Webhooks, hooks: readonly Hook[], nowMs: number): Promise<Receiver[]> {
  const ids = hooks.map(({ id }) => id);
  const [tallies, figures] = await Promise.all([webhooks.tallies(ids, nowMs - DAY_MS), webhooks.allFigures(ids)]);
  return hooks.flatMap((hook, at) => {
    const [counts, own] = [tallies[at], figures[at]];
    return counts && own ? [{ hook, ...counts, figures: own }] : [];
  });
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
