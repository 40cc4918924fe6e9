/** Outcomes of steps as rows: errors that a worker may catch again after a restart, and the call that has recorded a row. */
import type { NodeFailure, NodeRow, StepKind } from "../../../storage/contract/graph-rows.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import { FinalError } from "../../definition/final-error.ts";
import { errorMessage, errorOf } from "../remote/thread-messages.ts";

export type RecordedCall = StepKind | "sleep" | "wait" | "event" | "call" | "map";

const NAMES: Readonly<Record<RecordedCall, string>> = {
  step: "ctx.step",
  tx: "ctx.tx",
  artifact: "ctx.artifact",
  sleep: "ctx.sleep",
  wait: "ctx.waitFor",
  event: "ctx.waitForEvent",
  call: "ctx.call",
  map: "ctx.map",
};

/** The error of a step as it is stored. */
export function stepFailure(id: string, cause: unknown): NodeFailure {
  const { name, message, isFinal, retryAfter, origin } = errorMessage(cause);
  return {
    message,
    reason: "error",
    node: id,
    ...(origin && { origin }),
    thrown: { name, isFinal, ...(retryAfter !== undefined && { retryAfter }) },
  };
}

/** The stored error of a step, as the worker caught it before: same name and message, another object. */
export function recordedError({ error }: NodeRow): Error {
  const { message = "", origin, thrown } = error ?? {};
  const { name = "Error", isFinal = false, retryAfter } = thrown ?? {};
  return errorOf({ name, message, isFinal, retryAfter, origin });
}

/**
 * A key has one meaning in a node: the result of a step is not the answer to a wait.
 * @param row recorded by an earlier attempt under `id`
 * @throws FinalError that names both calls.
 */
export function requireSameCall(row: NodeRow, id: string, call: RecordedCall): void {
  const before = callOf(row, id);
  // Older versions stored all three as steps, and without an order.
  const isOlder = before === "step" && row.doneSeq === undefined && (call === "tx" || call === "artifact");
  if (before === call || isOlder) return;
  const [node, key] = [id.slice(0, id.lastIndexOf("#")), id.slice(id.lastIndexOf("#") + 1)];
  throw new FinalError(
    `The key "${key}" of ${NAMES[call]} in "${node}" has an outcome of ${NAMES[before]} from before; use another key for the new call`,
  );
}

function callOf({ id, kind }: NodeRow, asked: string): RecordedCall {
  if (kind === "node" || kind === "child") return id === asked ? "call" : "map";
  return kind;
}

/** The statements ran again in a repeated transaction: the new result replaces the old one. */
export function repair(transition: Transition, row: NodeRow | undefined, result: Json): Transition {
  for (const each of [row, ...(transition.insertNodes ?? []), ...(transition.nodes ?? [])])
    if (each && each.id === row?.id) each.result = result;
  return transition;
}
