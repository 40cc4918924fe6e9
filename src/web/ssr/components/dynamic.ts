/** `<Dynamic>`: renders an element or component that is chosen during the server render. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { PassedOn } from "../html.ts";
import { component } from "../compiled.ts";
import { dynamicElement } from "../dynamic-element.ts";

type View = (props: never) => Child;

type DynamicProps<Is extends string | View> = { is: Is; children?: Child } & (Is extends (props: infer Props) => Child
  ? Props
  : Record<string, unknown>);

/**
 * @param props `is`: a tag name or component, which gets the other props. An element takes handlers, a ref and
 *   attributes that change, but no `bind:…`.
 * @throws SvcError `SVC_DEFINITION` for an invalid tag, or a tag whose content is not HTML
 * @example
 * function Heading(props: { level: 1 | 2 | 3; text: string }) {
 *   return <Dynamic is={`h${props.level}`}>{props.text}</Dynamic>;
 * }
 */
export function Dynamic<Is extends string | View>(props: DynamicProps<Is>): Markup {
  return new PassedOn(() => {
    const { is, ...rest } = props;
    if (typeof is === "function") return component(is as View, rest as never);
    if (typeof is !== "string") throw noTag(is);
    return dynamicElement(is, rest);
  });
}

function noTag(is: unknown): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    `<Dynamic is={…}> got ${is === null ? "null" : typeof is}. Give it a tag name or a component. For nothing at all, use a condition: {view && <Dynamic is={view} />}.`,
  );
}
