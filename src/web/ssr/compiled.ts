/** Runtime functions that compiled modules call during a render: for templates, their scopes, and components. */
import { holdsNested } from "./resume/nested-values.ts";
import type { TemplateInfo } from "./template-info.ts";
import { ALL_PROPS } from "../../platform/shared/wire.ts";
import { PassedOn } from "./html.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { refuseFrozen } from "./resume/live-props.ts";
import { currentRender, renderInProgress } from "./current-page.ts";
import { dynamicElement } from "./dynamic-element.ts";
import { marked } from "./nesting-check.ts";
import { t } from "./write.ts";

export function block(
  moduleId: string,
  bind: string | 0,
  events: readonly string[],
  parts: readonly string[],
  names: readonly string[] = [],
  isUncertain = false,
  uses?: TemplateInfo["uses"],
  conditions?: TemplateInfo["conditions"],
): TemplateInfo {
  return { moduleId, bind, events, parts, names, isUncertain, uses, conditions };
}

/**
 * @param bound number of leading `slots` that the bindings read.
 * @returns the scope attribute; empty if the scope only displays values and none of them is reactive.
 */
export function scope(scopeBlock: TemplateInfo, bound: number, slots: readonly unknown[]): string {
  if (scopeBlock.isUncertain && !slots.some(holdsNested)) return "";
  return currentRender().scopes.add(scopeBlock, bound, slots);
}

/** Return value of the compiled component that returned last. */
let lastMade: string | undefined;

/** Compiled components pass their HTML through this function, so that `component` can distinguish it from plain text. */
export function made(html: string): string {
  lastMade = html;
  return html;
}

/** The same for a module with stylesheets, which the page then links. @param module its path. */
export function madeIn(module: string): typeof made {
  return (html) => {
    renderInProgress()?.features.imported.use(module);
    return made(html);
  };
}

function dynamicTag(tag: unknown, props: object): string {
  if (typeof tag !== "string")
    throw new SvcError(
      "SVC_DEFINITION",
      `A tag is ${tag === null ? "null" : typeof tag}, and no component. Check the import or the value that chooses it. For nothing at all, use a condition: {Icon && <Icon />}.`,
    );
  return dynamicElement(tag, props as Record<string, unknown>);
}

/**
 * Calls a component. A compiled component returns HTML through `made`. A string from any other function is text and is escaped.
 * A component with a `<Slot>` takes its props as a second argument. A text is the name of an element: `const Tag = props.as ?? "section"`.
 */
export function component<Props>(fn: (props: Props, own: Props) => unknown, props: Props): string {
  if (typeof fn !== "function") return dynamicTag(fn, props ?? {});
  const result = fn(props, props);
  const isMade = typeof result === "string" && result === lastMade;
  const html = isMade ? result : t(result);
  if (!renderInProgress()?.isDevelopment) return html;
  // A function without parameters shows no props.
  if (!isMade && fn.length > 0 && !(result instanceof PassedOn)) refuseFrozen(props ?? {}, ALL_PROPS, fn.name);
  return marked(fn.name, html);
}
