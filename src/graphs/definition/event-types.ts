/** Types of events: their declaration, what receivers get, and how they select events. */
import type { Json } from "../../platform/shared/json.ts";
import type { StandardSchema } from "../../platform/shared/schema.ts";

/** @typeParam Data the data that workers get. @typeParam Sent the data that `engine.send` takes. */
export interface EventDefinition<Data = unknown, Sent = unknown> {
  readonly kind: "event";
  readonly name: string;
  /** Validates the data when the event is sent, and again for each receiver. */
  readonly schema?: StandardSchema;
  readonly types?: { readonly data: Data; readonly sent: Sent };
}

/** An event as `ctx.waitForEvent` returns it. */
export interface SentEvent<Data = Json> {
  readonly id: string;
  readonly name: string;
  readonly data: Data;
  /** Unix milliseconds. */
  readonly sentMs: number;
}

/** Some fields of the event's data and their values, at any depth. Arrays are compared as a whole. */
export type EventMatch<Sent> = Sent extends readonly unknown[]
  ? Sent
  : Sent extends object
    ? { readonly [Field in keyof Sent]?: EventMatch<Sent[Field]> }
    : Sent;

/** An event that cancels unfinished runs of a graph. */
export interface CancelOn<Input = never> {
  event: EventDefinition;
  /** Fields that the event's data must have to cancel a run with this input. Default: every run. */
  match?: (input: Input) => Readonly<Record<string, unknown>>;
}
