/** `<Dynamic>`: renders an element or component that is chosen during the server render. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { mayBeDynamic, REFUSED_TAGS } from "../../../platform/shared/html/dynamic-tags.ts";
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";
import { Html } from "../html.ts";
import { component } from "../compiled.ts";
import { spread, t } from "../write.ts";

type View = (props: never) => Child;

type DynamicProps<Is extends string | View> = { is: Is; children?: Child } & (Is extends (props: infer Props) => Child
  ? Props
  : Record<string, unknown>);

/**
 * @param props `is`: a tag name or component, which gets the other props. An element gets attributes but no handlers: add handlers
 *   to an element inside it.
 * @throws SvcError `SVC_DEFINITION` for an invalid tag, or a tag whose content is not HTML
 * @example
 * function Heading(props: { level: 1 | 2 | 3; text: string }) {
 *   return <Dynamic is={`h${props.level}`}>{props.text}</Dynamic>;
 * }
 */
export function Dynamic<Is extends string | View>(props: DynamicProps<Is>): Markup {
  return new Html(() => {
    const { is, ...rest } = props;
    if (typeof is === "function") return component(is as View, rest as never);
    return element(String(is), rest);
  });
}

function element(tag: string, { children, ...attributes }: Record<string, unknown>): string {
  if (!mayBeDynamic(tag)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `<Dynamic is=${JSON.stringify(tag)}> can't be rendered. Use a component, or a tag in lower case other than ${[...REFUSED_TAGS].join(", ")}.`,
    );
  }
  const open = `<${tag}${spread(attributes)}>`;
  return VOID_TAGS.has(tag) ? open : `${open}${t(children)}</${tag}>`;
}
