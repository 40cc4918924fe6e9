/**
 * One attempt of a node: calls the worker with its context, ends it on timeout or abort, and returns its outcome. The state machine
 * decides what the outcome means for the run.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { NodeFailure } from "../../../storage/contract/graph-rows.ts";
import { AttemptContext } from "./attempt-context.ts";
import type { AttemptOptions } from "./attempt-options.ts";
import { messageOf, readableError } from "../../definition/thrown.ts";
import { checkedInput } from "../../definition/input-schema.ts";
import { toJson } from "../../definition/json-value.ts";
import { AttemptLimits, AttemptTimeout } from "./attempt-limits.ts";
import type { Kept } from "../../machine/machine.ts";
import { originOf } from "../error-origin.ts";

export type Outcome =
  | { kind: "done"; result: Json; kept?: Kept | undefined }
  /** `cause` is the thrown value. */
  | { kind: "failed"; error: NodeFailure; cause: unknown; kept?: Kept | undefined }
  | { kind: "aborted" };

/** Never rejects. After an abort it does not wait for a worker that ignores its signal. */
export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { node, timeout, heartbeat, clock, controller, values, isQueued = false } = options;
  const limits = new AttemptLimits({
    clock,
    timeout,
    heartbeat,
    isQueued,
    abort: (reason) => controller.abort(reason),
  });
  const context = new AttemptContext(options, limits);
  try {
    const { options: rules, run } = options.worker;
    const schema = rules.input;
    const result = await controller.race(
      schema
        ? async () => run((await checkedInput(schema, options.input, node.id)) as never, context)
        : () => run(options.input as never, context),
    );
    return {
      kind: "done",
      result: toJson(result, `the result of "${node.id}"`, values.resultBytes),
      kept: AttemptContext.kept(context),
    };
  } catch (thrown) {
    if (controller.reason !== undefined && thrown === controller.reason) return afterAbort(thrown, node.id);
    const error = readableError(thrown);
    const origin = originOf(error);
    const failure: NodeFailure = { message: messageOf(error), reason: "error", node: node.id };
    return {
      kind: "failed",
      error: origin ? { ...failure, origin } : failure,
      cause: error,
      kept: AttemptContext.kept(context),
    };
  } finally {
    limits.stop();
  }
}

function afterAbort(reason: unknown, node: string): Outcome {
  if (!(reason instanceof AttemptTimeout)) return { kind: "aborted" };
  return { kind: "failed", error: { message: reason.message, reason: "timeout", node }, cause: reason };
}
