/** Validates an action's argument by the author's schema. */
import { SvcError } from "../../platform/shared/errors.ts";
import { parseWith, type StandardSchema } from "../../platform/shared/schema.ts";

/** Like `parseWith`, for the one argument. @throws SvcError `SVC_INVALID` with issues; also for more than one argument */
export function validate(schema: StandardSchema, args: readonly unknown[]): unknown {
  if (args.length > 1)
    throw new SvcError("SVC_INVALID", `"args" has ${args.length} values; this action takes one argument`);
  return parseWith(schema, args[0]);
}
