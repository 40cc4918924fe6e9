/** Declares events: named facts that start, resume and cancel runs. A definition carries the type of the event's data. */
import type { Json } from "../../platform/shared/json.ts";
import { isSchema, type InputOf, type OutputOf, type StandardSchema } from "../../platform/shared/schema.ts";
import { refused, shown } from "./definition-checks.ts";
import type { EventDefinition } from "./event-types.ts";
import { FinalError } from "./final-error.ts";

const NAME = /^[a-zA-Z][\w.:/-]{0,99}$/;

/**
 * Declares an event. Its schema (Standard Schema, such as valibot's) gives its data a type and validates it.
 * @throws SvcError `SVC_DEFINITION` for an invalid name or schema.
 * @example
 * const ticketCreated = event<{ ticketId: string }>("ticket.created");
 * const draft = worker("draft", ({ ticketId }: { ticketId: string }) => `Dear ${ticketId}`);
 * const answer = graph("answer", (g) => g.node("draft", draft), { on: ticketCreated });
 */
export function event<Schema extends StandardSchema>(
  name: string,
  schema: Schema,
): EventDefinition<OutputOf<Schema>, InputOf<Schema>>;
export function event<Data = Json>(name: string): EventDefinition<Data, Data>;
export function event(name: string, schema?: StandardSchema): EventDefinition {
  if (!isEventName(name))
    throw refused(
      `"${String(name).slice(0, 100)}" is not a valid name for an event; use a letter, then letters, digits or any of . _ : / -, at most 100 characters`,
    );
  if (schema !== undefined && !isSchema(schema))
    throw refused(
      `The event "${name}" has the schema ${shown(schema)}; use a schema of Standard Schema, such as valibot's v.object({ … })`,
    );
  return { kind: "event", name, ...(schema && { schema }) };
}

export function isEventName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

export function isEvent(value: unknown): value is EventDefinition {
  return typeof value === "object" && value !== null && (value as Partial<EventDefinition>).kind === "event";
}

/** @throws FinalError for the argument of `ctx.waitForEvent` */
export function requireEvent(value: EventDefinition): EventDefinition {
  if (isEvent(value)) return value;
  throw new FinalError(`ctx.waitForEvent takes an event, such as event("ticket.created")`);
}
