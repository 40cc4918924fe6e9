/** `<Portal>`: renders content elsewhere in the page. docs/resume-protocol.md section 4. */
import type { Child, Markup } from "../../jsx/element.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface PortalProps {
  /**
   * Selector of the target element: `"#modals"`. The content is appended to it. The server supports only id selectors; for other
   * selectors and unknown ids the content is appended to the body. Default: the body.
   */
  to?: string;
  children?: Child;
}

/**
 * Renders its children at the end of another element. Their handlers and bindings still belong to the component that contains the portal.
 * @example
 * <Portal to="overlays">
 *   <div role="status">Saved</div>
 * </Portal>
 */
export function Portal({ to, children }: PortalProps): Markup {
  return new Html(() => {
    const html = t(children);
    currentRender().move({ to, html });
    return "";
  });
}

/**
 * Renders a portal in a row or branch. Called by compiled modules.
 * @param own scope attribute of the template around it.
 * @param write returns the content's HTML, with `mark` on its root.
 * @returns attribute of the `<template>` that replaces the portal in the row or branch.
 */
export function portal(own: string, to: unknown, write: (mark: string) => string): string {
  const render = currentRender();
  const mark = ` ${DOM.portal}="${render.nextPortal()}"`;
  render.move({ to, html: write(mark + own) });
  return mark;
}
