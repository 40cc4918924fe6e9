/** Validates ids that connect a widget's elements in attributes, CSS names and links. */
import { SvcError } from "../../../platform/shared/errors.ts";

const ID = /^[a-zA-Z][\w-]*$/;

/** @throws SvcError `SVC_DEFINITION` for an invalid id. */
export function requireId(tag: string, id: unknown): string {
  if (typeof id === "string" && ID.test(id)) return id;
  throw new SvcError(
    "SVC_DEFINITION",
    `<${tag} id=${JSON.stringify(id)}>: invalid id. Start it with a letter, and use only letters, digits, "-" and "_", such as "menu".`,
  );
}
