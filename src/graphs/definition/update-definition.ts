/**
 * Updates: requests to a running worker, with an answer. A request is a signal with the request's key in its payload; the answer is the
 * result of the step that handled it. So both are as durable as signals and steps.
 */
import type { Json } from "../../platform/shared/json.ts";
import { isSchema, parseWith, type InputOf, type OutputOf, type StandardSchema } from "../../platform/shared/schema.ts";
import { messageOf } from "./thrown.ts";
import type { DurableCalls, HandleUpdateOptions, UpdateOutcome, UpdateRequest } from "./context-types.ts";
import { refused, requireName } from "./definition-checks.ts";
import { FinalError } from "./final-error.ts";
import type { UpdateDefinition } from "./signal-types.ts";

/**
 * An update that callers send with `run.update(addItem, value)` and a worker answers with `ctx.handleUpdate(addItem, handler)`.
 * @param name a letter, then letters, digits, `.`, `_` and `-`, at most 64 characters.
 * @param schema any Standard Schema for the value. A value that it rejects is not sent (`SVC_INVALID` with issues).
 * @param answer any Standard Schema for the answer. Default: any JSON, with the type of the type parameter.
 * @throws SvcError `SVC_DEFINITION` for an invalid name or schema.
 * @example
 * const addItem = defineUpdate<{ sku: string }, { items: number }>("add-item");
 * const cart = worker("cart", async (_input: unknown, ctx) => {
 *   const skus: string[] = [];
 *   while (skus.length < 3) {
 *     const { value } = await ctx.handleUpdate(addItem, () => ({ items: skus.length + 1 }));
 *     skus.push(value.sku);
 *   }
 *   return skus;
 * });
 * const run = await app.engine.start(cart, null);
 * const { items } = await run.update(addItem, { sku: "tea" });
 */
export function defineUpdate<Value = Json, Answer = Json>(name: string): UpdateDefinition<Value, Value, Answer>;
export function defineUpdate<Schema extends StandardSchema, AnswerSchema extends StandardSchema = StandardSchema<Json>>(
  name: string,
  schema: Schema,
  answer?: AnswerSchema,
): UpdateDefinition<InputOf<Schema>, OutputOf<Schema>, OutputOf<AnswerSchema>>;
export function defineUpdate(
  name: string,
  schema?: StandardSchema,
  answer?: StandardSchema,
): UpdateDefinition<never, unknown, never> {
  requireName("update", name);
  for (const each of [schema, answer])
    if (each !== undefined && !isSchema(each))
      throw refused(
        `The update "${name}" has a schema that is not a Standard Schema, such as valibot's v.object({ … })`,
      );
  return { kind: "update", name, ...(schema && { schema }), ...(answer && { answer }) };
}

/** Names of authors contain no colon. */
const SIGNAL_PREFIX = "update:";
/** End of the ids of steps that store answers. */
export const ANSWER_SUFFIX = ":answer";

/** Name of the signals that are requests of an update. */
export function requestSignal(name: string): string {
  return `${SIGNAL_PREFIX}${name}`;
}

/** Payload of a request. */
export interface RequestPayload {
  /** Identifies the request for its sender. */
  key: string;
  value: Json;
}

/** Stored answer to a request. */
export type StoredAnswer = { key: string; ok: true; answer: Json } | { key: string; ok: false; message: string };

/** Number of requests that each update has handled in an attempt, by name. */
export type UpdateCounts = Map<string, number>;

type Definition = UpdateDefinition<unknown, unknown, unknown>;
type Handler = (value: never, request: UpdateRequest) => unknown;

/**
 * Waits for the next request and answers it: `ctx.handleUpdate`, for workers here and elsewhere.
 * @param counts of the attempt, which give each call its key.
 */
export async function handleUpdate(
  ctx: Pick<DurableCalls, "waitFor" | "step">,
  counts: UpdateCounts,
  { update, handler, options }: { update: Definition; handler: Handler; options: HandleUpdateOptions | undefined },
): Promise<UpdateOutcome<never, never>> {
  const { name, schema } = update;
  const { timeout } = options ?? {};
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const waitKey = options?.key ?? `${requestSignal(name)}:${count}`;
  const signal = requestSignal(name);
  const waiting = { key: waitKey, ...(timeout !== undefined && { timeout }) };
  const request = (await (schema
    ? ctx.waitFor(signal, { ...waiting, schema: schemaOfRequest(schema) })
    : ctx.waitFor<Json>(signal, waiting))) as unknown as RequestPayload;
  const { key, value } = request;
  const answer = await ctx.step(`${waitKey}${ANSWER_SUFFIX}`, async ({ signal, idempotencyKey }) =>
    answered(update, key, () => handler(value as never, { signal, idempotencyKey })),
  );
  const outcome = answer.ok
    ? { ok: true, value, answer: answer.answer }
    : { ok: false, value, message: answer.message };
  return outcome as UpdateOutcome<never, never>;
}

/** A final error of the handler is its answer, unless the handler calls `ctx`. Any other fails the attempt, and the next one handles the request again. */
async function answered({ answer }: Definition, key: string, handle: () => unknown): Promise<StoredAnswer> {
  let given: unknown;
  try {
    given = await handle();
  } catch (error) {
    if (!(error instanceof FinalError) || error.code === "SVC_NESTED_CALL") throw error;
    return { key, ok: false, message: messageOf(error) };
  }
  return { key, ok: true, answer: ((answer ? await parseWith(answer, given) : given) ?? null) as Json };
}

/** Validates the value inside a request. */
function schemaOfRequest(schema: StandardSchema): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "svc",
      validate: async (payload) => {
        const { key, value } = payload as RequestPayload;
        const result = await schema["~standard"].validate(value);
        return result.issues ? result : { value: { key, value: result.value } };
      },
    },
  };
}
