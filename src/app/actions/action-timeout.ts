/** How long an action may run, and the request around it while it does. */
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

/** The time of one call: `signal` aborts when it is up, until `stop` is called. */
export interface Deadline {
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Begins the time of an action that has a limit; the request's own signal aborts with it from here on.
 * @returns undefined where there is no limit
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
 * Runs an action within its request. Of one whose time is up nothing more is heard, though its code may run on.
 * @returns what `run` does; a promise of it where the action has a limit.
 * @throws SvcError `SVC_UNAVAILABLE` when its time is up
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
  return new SvcError("SVC_UNAVAILABLE", `The action took longer than the ${timeoutMs} ms that it has`);
}
