/** The check of an action's argument by a schema of the author's. */
import { SvcError } from "../../platform/shared/errors.ts";
import { parseWith, type StandardSchema } from "../../platform/shared/schema.ts";

/** As `parseWith`, of the one argument. @throws SvcError `SVC_INVALID` with issues; for more arguments than one too */
export function validate(schema: StandardSchema, args: readonly unknown[]): unknown {
  if (args.length > 1) throw new SvcError("SVC_INVALID", `args holds ${args.length} values; this action takes one`);
  return parseWith(schema, args[0]);
}
