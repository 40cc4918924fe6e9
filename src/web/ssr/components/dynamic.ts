/** `<Dynamic>`: an element or component that is chosen while the server renders. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { VOID_TAGS } from "../../../platform/shared/html.ts";
import { Html } from "../html.ts";
import { component } from "../compiled.ts";
import { spread, t } from "../write.ts";

type View = (props: never) => Child;

type DynamicProps<Is extends string | View> = { is: Is; children?: Child } & (Is extends (props: infer Props) => Child
  ? Props
  : Record<string, unknown>);

/** Lower case as in HTML, hyphens as in custom elements. */
const TAG = /^[a-z][a-z0-9]*(?:-[a-z0-9-]*)?$/;
/** Their content is code, or no text. */
const REFUSED = new Set(["script", "style", "iframe", "noscript", "template", "textarea", "title", "xmp"]);

/**
 * @param props `is`: tag name, or component; the others go to it. Elements take attributes but no handlers: put these on
 *   an element inside.
 * @throws SvcError `SVC_DEFINITION` for what is no tag, or one whose content is no HTML
 */
export function Dynamic<Is extends string | View>(props: DynamicProps<Is>): Markup {
  return new Html(() => {
    const { is, ...rest } = props;
    if (typeof is === "function") return component(is as View, rest as never);
    return element(String(is), rest);
  });
}

function element(tag: string, { children, ...attributes }: Record<string, unknown>): string {
  if (!TAG.test(tag) || REFUSED.has(tag)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `<Dynamic is=${JSON.stringify(tag)}> can't be written: give it a component, or a tag in lower case other than ${[...REFUSED].join(", ")}.`,
    );
  }
  const open = `<${tag}${spread(attributes)}>`;
  return VOID_TAGS.has(tag) ? open : `${open}${t(children)}</${tag}>`;
}
