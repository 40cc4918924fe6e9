/** Validates ids that connect a widget's elements in attributes, CSS names and links. */
import { invalidId, isElementId } from "../../../platform/shared/html/element-id.ts";
import { SvcError } from "../../../platform/shared/errors.ts";

/** @throws SvcError `SVC_DEFINITION` for an invalid id. */
export function requireId(tag: string, id: unknown): string {
  if (isElementId(id)) return id;
  throw new SvcError("SVC_DEFINITION", invalidId(tag, id));
}
