/** `<Portal>`: content that stands elsewhere in the page than it is written. docs/resume-protocol.md section 4. */
import type { Child, Markup } from "../jsx/element.ts";
import { VOID_TAGS } from "../shared/html.ts";
import { DOM } from "../shared/wire.ts";
import { Html } from "./html.ts";
import { currentRender } from "./render.ts";
import { t } from "./write.ts";

export interface PortalProps {
  /**
   * Selector of the element at whose end the content stands: `"#modals"`. The server knows elements by their id only; content
   * for others, and for an id that the page has not, stands at the end of the body, which is the default.
   */
  to?: string;
  children?: Child;
}

/** Content of a portal on its way to its place. */
export interface Moved {
  to: unknown;
  html: string;
}

/** Its children, at the end of another element. Their handlers and bindings stay those of the component that wrote them. */
export function Portal({ to, children }: PortalProps): Markup {
  return new Html(() => {
    const html = t(children);
    currentRender().move({ to, html });
    return "";
  });
}

/**
 * A portal in a row or branch. Called by compiled modules.
 * @param own scope attribute of the template around it.
 * @param write gives the content's HTML; its root gets `mark`.
 * @returns attribute of what stands in its stead.
 */
export function portal(own: string, to: unknown, write: (mark: string) => string): string {
  const render = currentRender();
  const mark = ` ${DOM.portal}="${render.nextPortal()}"`;
  render.move({ to, html: write(mark + own) });
  return mark;
}

/** The body with all that portals have moved, each at the end of its target. */
export function placed(body: string, moved: readonly Moved[]): string {
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
