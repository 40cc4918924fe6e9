/** Validates inputs by a worker's `input` schema: at the start of a run, and at each attempt. */
import { messageOf } from "./thrown.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { parseWith, type StandardSchema } from "../../platform/shared/schema.ts";
import { isMadeOfJson } from "./definition.ts";
import type { GraphDefinition } from "./definition-types.ts";
import { FinalError } from "./final-error.ts";
import { toJson } from "./json-value.ts";

/**
 * Validates the run's input for the nodes that receive it unchanged, so that the caller gets the error.
 * @throws SvcError `SVC_INVALID` with issues below `input`.
 */
export async function requireFit({ nodes }: GraphDefinition, input: Json): Promise<void> {
  for (const node of nodes) {
    const schema = node.worker.options.input;
    const isCalledWithIt = node.after.length === 0 && isMadeOfJson(node.input) && !node.when && !node.mayFail;
    if (schema && isCalledWithIt) await requireValid(schema, "input", input);
  }
}

/** @param name name of the value in the message and in issues. @throws SvcError `SVC_INVALID` with issues below `name`. */
export async function requireValid(schema: StandardSchema, name: string, value: Json): Promise<void> {
  try {
    await parseWith(schema, value);
  } catch (cause) {
    if (!(cause instanceof SvcError) || cause.issues === undefined) throw cause;
    const issues = cause.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
    throw new SvcError("SVC_INVALID", `"${name}" is invalid: ${cause.message}`, { cause, issues });
  }
}

/** @throws FinalError for an invalid input, because a retry would have the same one. */
export async function checkedInput(schema: StandardSchema, input: unknown, nodeId: string): Promise<Json> {
  try {
    return toJson(await parseWith(schema, input), "the schema's output", Infinity);
  } catch (cause) {
    throw new FinalError(`The input of "${nodeId}" is invalid: ${messageOf(cause)}`, { cause });
  }
}
