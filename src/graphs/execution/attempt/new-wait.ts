/** Waits for a time, a signal or an event, as an attempt opens them, and the value or error that the worker gets. */
import type { Json } from "../../../platform/shared/json.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Wait } from "../../machine/waits.ts";
import { CallError, WaitTimeoutError } from "./call-error.ts";

/** @param owner the node of the attempt */
export function newWait(
  owner: NodeRow,
  { kind, id, signal, event, timeout, parse, fields }: Omit<Wait, "owner" | "wake">,
  wake: () => void,
): Wait {
  // Written out: copied from another object, each would have a hidden class of its own, which takes more memory than the object.
  return { kind, id, owner, signal, event, fields, timeout, parse, dueMs: undefined, outcome: undefined, wake };
}

/** @throws CallError, WaitTimeoutError */
export function valueOf(outcome: Wait["outcome"], wait: Wait): Json {
  if (outcome?.ok) return structuredClone(outcome.value);
  if (outcome && wait.signal !== undefined) throw new WaitTimeoutError(outcome.error.message);
  throw new CallError(wait.id, outcome?.error ?? { message: "It has ended without an outcome", reason: "error" });
}
