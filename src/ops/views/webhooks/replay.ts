/** Texts of the resend preview. Pure. */
import { shownBody } from "../runs/payload.ts";
import type { App } from "../../../index.ts";
import { countText, durationText } from "../format.ts";

type Preview = Awaited<ReturnType<App["webhooks"]["previewReplay"]>>;
type Readiness = Pick<Preview, "breaker" | "open_until_ms">;

const HOUR_MS = 3_600_000;

/** Time ranges for finding failed deliveries. */
export const SPANS = [
  ["1h", "the last hour", HOUR_MS],
  ["24h", "the last 24 hours", 24 * HOUR_MS],
  ["7d", "the last 7 days", 7 * 24 * HOUR_MS],
  ["all", "all", Infinity],
] as const;

export interface Span {
  name: string;
  sinceMs: number;
}

/** Default: the last 24 hours. */
export function spanOf(given: string | null, nowMs: number): Span {
  const [name, , ms] = SPANS.find(([known]) => known === given) ?? SPANS[1];
  return { name, sinceMs: Math.max(0, nowMs - ms) };
}

/** When the delivery would be sent: a word with its tone, and an explanation. */
export function readinessText({ breaker, open_until_ms: untilMs }: Readiness, nowMs: number) {
  switch (breaker) {
    case "closed":
      return { tone: "good", word: "immediately", text: "" };
    case "probing":
      return {
        tone: "warn",
        word: "one at a time",
        text: "Ten deliveries in a row have failed. Each one is sent after the previous one succeeded.",
      };
    case "open": {
      const wait = durationText(Math.max(0, (untilMs ?? nowMs) - nowMs));
      return {
        tone: "warn",
        word: `in ${wait}`,
        text: "Ten deliveries in a row have failed. After that time one is attempted, and the others wait for its result.",
      };
    }
    case "disabled":
      return { tone: "bad", word: "never", text: "The webhook is disabled. Nothing is sent until it is enabled." };
  }
}

/** Headers whose value alone would let anybody forge a delivery. */
const SIGNATURES = /signature$/i;

/**
 * The request as it is sent. @param isTrusted whether signatures are shown: a receiver accepts a request with a current signature from
 * anybody
 */
export function requestText({ request }: Preview, isTrusted: boolean, secretKeys: readonly string[] = []): string {
  const { method, url, headers, body } = request;
  const { pathname, search } = new URL(url);
  const lines = headers.map(({ name, value }) => {
    if (value === null) return `${name}: (hidden: set by the webhook)`;
    return `${name}: ${SIGNATURES.test(name) && !isTrusted ? "(hidden: visible to operators)" : value}`;
  });
  return [`${method} ${pathname}${search} HTTP/1.1`, ...lines, "", shownBody(body, secretKeys).text].join("\n");
}

/** `3 graph.done, 1 graph.failed`. */
export function eventsText(events: Readonly<Record<string, number>>): string {
  return Object.entries(events)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([event, count]) => `${countText(count)} ${event}`)
    .join(", ");
}
