/** Recent responses of a receiver. breaker.ts decides whether it is called; app/observability/metrics has the counts of all receivers. */
import type { LastOutcomeRow, OutcomeRow, ReceiverOutcomeRow } from "../storage/contract/webhook-rows.ts";

/** Statistics over a receiver's newest deliveries. */
export interface ReceiverStats {
  /** Number of attempts in the statistics. */
  attempts: number;
  /** Durations of attempts with a response, from start to end; null without any. */
  p50_ms: number | null;
  p99_ms: number | null;
  last: { started_ms: number; status_code: number | null; error: string | null } | null;
}

/** Deliveries in the statistics: a list of a hundred receivers reads as many of each. */
export const FIGURES_OF = 100;

/** @param outcomes newest first */
export function receiverStatsOf(outcomes: readonly OutcomeRow[]): ReceiverStats {
  const answered = outcomes.filter(({ statusCode }) => statusCode !== undefined).map(({ durationMs }) => durationMs);
  answered.sort((a, b) => a - b);
  // Nearest rank: the ninety-ninth of a hundred, the slowest of fewer.
  const quantile = (part: number): number | null => answered[Math.ceil(part * answered.length) - 1] ?? null;
  const [last] = outcomes;
  return {
    attempts: outcomes.length,
    p50_ms: quantile(0.5),
    p99_ms: quantile(0.99),
    last:
      last === undefined
        ? null
        : { started_ms: last.startedMs, status_code: last.statusCode ?? null, error: last.error ?? null },
  };
}

/** In the order of `ids`. @param outcomes of all receivers, newest first */
export function receiverStatsOfEach(ids: readonly string[], outcomes: readonly ReceiverOutcomeRow[]): ReceiverStats[] {
  const own = new Map(ids.map((id): [string, OutcomeRow[]] => [id, []]));
  for (const outcome of outcomes) own.get(outcome.registrationId)?.push(outcome);
  return ids.map((id) => receiverStatsOf(own.get(id) ?? []));
}

/** The response to a delivery, or why there was none. */
export interface LastResponse {
  status_code: number | null;
  error: string | null;
  /** Duration of the attempt. */
  duration_ms: number;
}

export function lastResponsesOf(outcomes: readonly LastOutcomeRow[]): ReadonlyMap<string, LastResponse> {
  return new Map(
    outcomes.map(({ deliveryId, statusCode, error, durationMs }) => [
      deliveryId,
      { status_code: statusCode ?? null, error: error ?? null, duration_ms: durationMs },
    ]),
  );
}
