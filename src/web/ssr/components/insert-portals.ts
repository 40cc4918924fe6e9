/** Inserts the content of portals into the finished body. Finds the target elements in the HTML. */
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";

/** Content of a portal, before it is inserted. */
export interface Moved {
  to: unknown;
  html: string;
}

/** Inserts the content of each portal at the end of its target. */
export function insertPortals(body: string, moved: readonly Moved[]): string {
  let out = body;
  for (const { to, html } of moved) {
    const at = typeof to === "string" && to.startsWith("#") ? endOf(out, to.slice(1)) : out.length;
    out = out.slice(0, at) + html + out.slice(at);
  }
  return out;
}

/** Matches comments, elements with raw text content, and tags. svc escapes quotes in the attributes that it writes. */
const TOKEN =
  /<!--[^]*?-->|<(?:script|style|textarea|title)\b[^]*?<\/(?:script|style|textarea|title)>|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;

/** Offset of the end tag of the element with this id; the end of `html` if there is no such element. */
function endOf(html: string, id: string): number {
  let target: string | undefined;
  let depth = 0;
  for (const { 1: slash, 2: tag = "", 3: attributes = "", index } of html.matchAll(TOKEN)) {
    if (target === undefined) {
      if (slash === "" && !VOID_TAGS.has(tag) && attributes.includes(` id="${id}"`)) target = tag;
    } else if (tag === target) {
      if (slash === "") depth++;
      else if (depth-- === 0) return index;
    }
  }
  return html.length;
}
