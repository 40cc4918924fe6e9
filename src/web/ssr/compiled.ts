/** What compiled modules call while a page is rendered: templates, their scopes, components. */
import type { TemplateInfo } from "./template-info.ts";
import { currentRender, renderInProgress } from "./current-page.ts";
import { marked } from "./nesting-check.ts";
import { t } from "./write.ts";

export function block(
  moduleId: string,
  bind: string | 0,
  events: readonly string[],
  parts: readonly string[],
  names: readonly string[] = [],
): TemplateInfo {
  return { moduleId, bind, events, parts, names };
}

/** @param bound how many of `slots`, from the front, the bindings read. @returns the scope attribute. */
export function scope(scopeBlock: TemplateInfo, bound: number, slots: readonly unknown[]): string {
  return currentRender().scopes.add(scopeBlock, bound, slots);
}

/** HTML that the component made which returned last. */
let lastMade: string | undefined;

/** What every compiled component returns its HTML through. */
export function made(html: string): string {
  lastMade = html;
  return html;
}

/**
 * Calls a component. One that is compiled returns HTML text, by way of `made`; any other function may stand in a tag too, and
 * a text of its own is text. One with a `<Slot>` takes its props twice.
 */
export function component<Props>(fn: (props: Props, own: Props) => unknown, props: Props): string {
  const result = fn(props, props);
  const html = typeof result === "string" && result === lastMade ? result : t(result);
  return renderInProgress()?.isDevelopment ? marked(fn.name, html) : html;
}
