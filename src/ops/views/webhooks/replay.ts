/** What is told before deliveries are sent again. Pure. */
import { shownBody } from "../runs/payload.ts";
import type { App } from "../../../index.ts";
import { countText, durationText } from "../format.ts";

type Preview = Awaited<ReturnType<App["webhooks"]["previewReplay"]>>;
type Readiness = Pick<Preview, "breaker" | "open_until_ms">;

const HOUR_MS = 3_600_000;

/** How far back what failed is looked for. */
export const SPANS = [
  ["1h", "the last hour", HOUR_MS],
  ["24h", "the last 24 hours", 24 * HOUR_MS],
  ["7d", "the last 7 days", 7 * 24 * HOUR_MS],
  ["all", "all that is kept", Infinity],
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

/** When it would go out: a word with its tone, and what that means. */
export function readinessText({ breaker, open_until_ms: untilMs }: Readiness, nowMs: number) {
  switch (breaker) {
    case "closed":
      return { tone: "good", word: "at once", text: "" };
    case "probing":
      return {
        tone: "warn",
        word: "one at a time",
        text: "Ten deliveries in a row have failed: the next goes out once the one before has arrived.",
      };
    case "open": {
      const wait = durationText(Math.max(0, (untilMs ?? nowMs) - nowMs));
      return {
        tone: "warn",
        word: `not for ${wait}`,
        text: "Ten deliveries in a row have failed: after that time one is tried, and the others wait for it.",
      };
    }
    case "disabled":
      return { tone: "bad", word: "never", text: "The webhook is off: nothing is sent until it is enabled." };
  }
}

/** Headers whose values are good for whoever has them. */
const SIGNATURES = /signature$/i;

/**
 * The request as it goes over the wire.
 * @param isTrusted whether signatures are shown: with one of this moment a receiver takes the request from anybody
 */
export function requestText({ request }: Preview, isTrusted: boolean, secretKeys: readonly string[] = []): string {
  const { method, url, headers, body } = request;
  const { pathname, search } = new URL(url);
  const lines = headers.map(({ name, value }) => {
    if (value === null) return `${name}: (hidden: the webhook's own)`;
    return `${name}: ${SIGNATURES.test(name) && !isTrusted ? "(hidden: operators see it)" : value}`;
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
