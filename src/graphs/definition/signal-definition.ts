/** `defineSignal`: a named signal with the type, and perhaps the schema, of its value. Senders and waiting workers share it. */
import type { Json } from "../../platform/shared/json.ts";
import { isSchema, parseWith, type InputOf, type OutputOf, type StandardSchema } from "../../platform/shared/schema.ts";
import type { WaitOptions } from "./context-types.ts";
import { refused, requireName } from "./definition-checks.ts";
import { fieldsOf, type SignalField } from "./signal-fields.ts";
import type { SignalDefinition, SignalName } from "./signal-types.ts";

/**
 * A signal that a run waits for with `ctx.waitFor(approval)`, and that callers send with `run.signal(approval, value)`.
 * @param name a letter, then letters, digits, `.`, `_` and `-`, at most 64 characters. Runs of different graphs may use the same name.
 * @param schema any Standard Schema, such as valibot's or zod's. A value that it rejects is not sent (`SVC_INVALID` with issues).
 * Default: the value is any JSON, with the type of the type parameter.
 * @throws SvcError `SVC_DEFINITION` for an invalid name or schema.
 * @example
 * const approval = defineSignal<{ isApproved: boolean }>("approval");
 * const publish = worker("publish", async (_input: unknown, ctx) => (await ctx.waitFor(approval)).isApproved);
 * const run = await app.engine.start(publish, null);
 * await run.signal(approval, { isApproved: true });
 */
export function defineSignal<Value = Json>(name: string): SignalDefinition<Value>;
export function defineSignal<Schema extends StandardSchema>(
  name: string,
  schema: Schema,
): SignalDefinition<InputOf<Schema>, OutputOf<Schema>>;
export function defineSignal(name: string, schema?: StandardSchema): SignalDefinition<never> {
  requireName("signal", name);
  if (schema !== undefined && !isSchema(schema))
    throw refused(`The signal "${name}" has a schema that is not a Standard Schema, such as valibot's v.object({ … })`);
  return { kind: "signal", name, ...(schema && { schema }) };
}

function isSignalDefinition(signal: unknown): signal is SignalDefinition<unknown, unknown> {
  return typeof signal === "object" && signal !== null && Reflect.get(signal, "kind") === "signal";
}

/**
 * The name of a signal, once its schema has accepted the value. The value is sent as it is: the waiting worker applies the schema.
 * @throws SvcError `SVC_INVALID` with issues.
 */
export async function checkedSignal(signal: SignalName, value: unknown): Promise<string> {
  if (!isSignalDefinition(signal)) return signal;
  if (signal.schema) await parseWith(signal.schema, value);
  return signal.name;
}

/** Options of a wait with the fields of its form. */
export type SignalWaitOptions = WaitOptions<StandardSchema> & { fields?: readonly SignalField[] };

/** Name and options of a wait, given by name or definition. A thread has read the fields of its own schema. */
export function waitArguments(
  signal: SignalName,
  options: SignalWaitOptions = {},
): [name: string, options: SignalWaitOptions] {
  const isDefined = isSignalDefinition(signal);
  const schema = (isDefined ? signal.schema : undefined) ?? options.schema;
  const name = isDefined ? signal.name : signal;
  if (!schema) return [name, options];
  const fields = options.fields ?? fieldsOf(schema);
  return [name, { ...options, schema, ...(fields && { fields }) }];
}
