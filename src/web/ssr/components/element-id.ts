/** Ids that a widget's parts are tied together by: in attributes, in CSS names and in links. */
import { SvcError } from "../../../platform/shared/errors.ts";

const ID = /^[a-zA-Z][\w-]*$/;

/** @throws SvcError `SVC_DEFINITION` for an id that is no plain name. */
export function requireId(tag: string, id: unknown): string {
  if (typeof id === "string" && ID.test(id)) return id;
  throw new SvcError(
    "SVC_DEFINITION",
    `<${tag} id=${JSON.stringify(id)}>: the id begins with a letter and goes on with letters, digits, "-" and "_", such as "menu".`,
  );
}
