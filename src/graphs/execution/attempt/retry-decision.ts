/** Decides what follows a failed attempt. */
import type { NodeFailure } from "../../../storage/contract/graph-rows.ts";
import type { Outcome } from "./attempt.ts";
import { messageOf } from "../../definition/thrown.ts";
import { retryDelayMs, type RetryPolicy } from "../../definition/retry.ts";

/** Time of the next attempt. If it can't be computed, there is none, and the error says why. */
export function decision(
  policy: RetryPolicy | undefined,
  attempt: number,
  { error, cause }: Extract<Outcome, { kind: "failed" }>,
  random: number,
  nowMs: number,
): { error: NodeFailure; retryAtMs: number | undefined } {
  try {
    const delayMs = retryDelayMs(policy, { attempt, cause, random });
    return { error, retryAtMs: delayMs === undefined ? undefined : nowMs + delayMs };
  } catch (trouble) {
    const message = `${error.message} (retryIf failed: ${messageOf(trouble)})`;
    return { error: { ...error, message }, retryAtMs: undefined };
  }
}
