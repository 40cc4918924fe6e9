/** Names of attributes that a spread never writes, on the server and in the browser. */
import { DOM } from "../wire.ts";

const ATTRIBUTE_NAME = /^[a-zA-Z_:][\w:.-]*$/;
/** Props that are not attributes, that contain code or HTML, or that are written in another way. */
const NOT_SPREAD = /^(?:children|key|ref|dangerouslySetInnerHTML|srcdoc|style|on.*)$/i;
/** Attributes of the resume protocol: they select the code that the browser fetches, so data must not set them. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  DOM.scope,
  DOM.key,
  DOM.media,
  DOM.portal,
  DOM.boundary,
  DOM.wait,
  DOM.piece,
  DOM.more,
]);

/** Whether a spread may write an attribute of this name. */
export function mayBeSpread(name: string): boolean {
  return ATTRIBUTE_NAME.test(name) && !NOT_SPREAD.test(name) && !PROTOCOL_NAMES.has(name.toLowerCase());
}
