/** The timeout of an action, and its request context. */
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Context } from "../../platform/http/types.ts";
import { durationMs, type Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { ActionSpec } from "./action.ts";
import { withContext } from "../pipeline/current-request.ts";

interface Timed {
  readonly ctx: Context;
  readonly services: { readonly clock: Clock };
  readonly spec: Pick<ActionSpec, "options">;
}

/** Deadline of a call: `signal` aborts when it passes, until `stop` is called. */
export interface Deadline {
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Starts the deadline of an action with a timeout; the request's signal aborts with it.
 * @returns undefined without a timeout
 */
export function startDeadline({ ctx, services, spec }: Timed): Deadline | undefined {
  const { timeout } = spec.options;
  if (timeout === undefined) return undefined;
  const timeoutMs = durationMs(timeout);
  const controller = new AbortController();
  const timer = services.clock.schedule(timeoutMs, () => controller.abort(tooLong(timeoutMs)));
  if (ctx instanceof RequestContext) ctx.endWith(controller.signal);
  return { signal: controller.signal, stop: () => timer.cancel() };
}

/**
 * Runs an action within its request. After a timeout its later outcome is ignored, although its code may continue.
 * @returns the result of `run`; a promise if the action has a timeout.
 * @throws SvcError `SVC_UNAVAILABLE` at the timeout
 */
export function withinTime(timed: Timed, run: () => unknown): unknown {
  const deadline = startDeadline(timed);
  return deadline
    ? until(
        deadline,
        withContext(timed.ctx, async () => run()),
      )
    : withContext(timed.ctx, run);
}

async function until(deadline: Deadline, running: Promise<unknown>): Promise<unknown> {
  try {
    return await Promise.race([running, aborted(deadline.signal)]);
  } finally {
    deadline.stop();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );
}

function tooLong(timeoutMs: number): SvcError {
  return new SvcError("SVC_UNAVAILABLE", `The action took longer than its timeout of ${timeoutMs} ms`);
}
