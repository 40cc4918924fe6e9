/** Declared signals and updates. */
import type { Json } from "../../platform/shared/json.ts";
import type { StandardSchema } from "../../platform/shared/schema.ts";

/**
 * @typeParam Value the value that is sent.
 * @typeParam Received the value that the worker receives: the schema's output.
 */
export interface SignalDefinition<Value = Json, Received = Value> {
  readonly kind: "signal";
  readonly name: string;
  /** Validates the value when it is sent and when it is received. */
  readonly schema?: StandardSchema;
  /** Never set. */
  readonly types?: { value: Value; received: Received };
}

/** A signal by its definition or name. */
export type SignalName = string | SignalDefinition<unknown, unknown>;

/**
 * @typeParam Value the value that is sent. @typeParam Received the value that the worker receives: the schema's output.
 * @typeParam Answer the worker's answer.
 */
export interface UpdateDefinition<Value = Json, Received = Value, Answer = Json> {
  readonly kind: "update";
  readonly name: string;
  /** Validates the value when it is sent and when it is received. */
  readonly schema?: StandardSchema;
  /** Validates the worker's answer. */
  readonly answer?: StandardSchema;
  /** Never set. */
  readonly types?: { value: Value; received: Received; answer: Answer };
}
