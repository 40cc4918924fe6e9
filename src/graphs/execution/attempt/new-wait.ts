/** Waits for a time, a signal or an event, as an attempt opens them, and the value or error that the worker gets. */
import type { Json } from "../../../platform/shared/json.ts";
import { parseWith, type StandardSchema } from "../../../platform/shared/schema.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { SentEvent } from "../../definition/event-types.ts";
import { toJson } from "../../definition/json-value.ts";
import type { ValueLimits } from "../../definition/value-limits.ts";
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

/** @returns a function that validates the data of an event's payload. */
export function eventParser(schema: StandardSchema, name: string, { inputBytes }: ValueLimits) {
  return async (payload: Json): Promise<Json> => {
    // The payload of an event's signal, which svc wrote.
    const sent = payload as unknown as SentEvent;
    return { ...sent, data: toJson(await parseWith(schema, sent.data), `the event "${name}"`, inputBytes) };
  };
}

/** @throws CallError, WaitTimeoutError */
export function valueOf(outcome: Wait["outcome"], wait: Wait): Json {
  if (outcome?.ok) return structuredClone(outcome.value);
  if (outcome && wait.signal !== undefined) throw new WaitTimeoutError(outcome.error.message);
  throw new CallError(wait.id, outcome?.error ?? { message: "It has ended without an outcome", reason: "error" });
}
