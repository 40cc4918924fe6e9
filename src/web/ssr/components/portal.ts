/** `<Portal>`: content that stands elsewhere in the page than it is written. docs/resume-protocol.md section 4. */
import type { Child, Markup } from "../../jsx/element.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface PortalProps {
  /**
   * Selector of the element at whose end the content stands: `"#modals"`. The server knows elements by their id only; content
   * for others, and for an id that the page has not, stands at the end of the body, which is the default.
   */
  to?: string;
  children?: Child;
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
