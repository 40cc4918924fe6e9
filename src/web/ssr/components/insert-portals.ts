/** Puts what portals have moved to its place in the finished body. Owns finding an element in HTML; knows no page. */
import { VOID_TAGS } from "../../../platform/shared/html.ts";

/** Content of a portal on its way to its place. */
export interface Moved {
  to: unknown;
  html: string;
}

/** The body with all that portals have moved, each at the end of its target. */
export function insertPortals(body: string, moved: readonly Moved[]): string {
  let out = body;
  for (const { to, html } of moved) {
    const at = typeof to === "string" && to.startsWith("#") ? endOf(out, to.slice(1)) : out.length;
    out = out.slice(0, at) + html + out.slice(at);
  }
  return out;
}

/** Comments and elements whose content is no HTML; else a tag. What we write has its quotes escaped in attributes. */
const PIECE =
  /<!--[^]*?-->|<(?:script|style|textarea|title)\b[^]*?<\/(?:script|style|textarea|title)>|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;

/** Offset of the end tag of the element with this id; the end of `html` where there is none. */
function endOf(html: string, id: string): number {
  let target: string | undefined;
  let depth = 0;
  for (const { 1: slash, 2: tag = "", 3: attributes = "", index } of html.matchAll(PIECE)) {
    if (target === undefined) {
      if (slash === "" && !VOID_TAGS.has(tag) && attributes.includes(` id="${id}"`)) target = tag;
    } else if (tag === target) {
      if (slash === "") depth++;
      else if (depth-- === 0) return index;
    }
  }
  return html.length;
}
