/** HTML of templates that the browser creates: rows, branches, fallbacks. */
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { losesLineEnd } from "../analyze/html-facts.ts";
import type { Attribute, Element, Item } from "../model.ts";

/** HTML of a row or branch. Its bindings write everything dynamic. */
function templateHtml(element: Element): string {
  const attributes = element.attributes.map((item) => (item.kind === "static" ? item.html : "")).join("");
  const key = element.key === undefined ? "" : ` ${DOM.key}="${element.key}"`;
  const inside = element.items.map(itemHtml).join("");
  // The fragment of a view.
  if (element.tag === "") return inside;
  const lineEnd = losesLineEnd(element) ? "\n" : "";
  return `<${element.tag}${attributes}${key}>${lineEnd}${inside}${closingTag(element.tag)}`;
}

function itemHtml(item: Item): string {
  if (item.kind === "text") return item.html;
  if (item.kind === "element") return templateHtml(item);
  // A text node to write into: cloning it with the template is cheaper than creating it.
  if (item.kind === "run") return item.isSole ? " " : ` <!--${item.key}-->`;
  if (item.kind === "insert" && item.isSole) return " ";
  return "key" in item && item.key !== undefined ? `<!--${item.key}-->` : "";
}

/** The `value` of a `<select>`, which chooses one of its options. */
export function selectedValue({ tag, attributes }: Element): Extract<Attribute, { kind: "value" }> | undefined {
  if (tag !== "select") return undefined;
  return attributes.filter((item) => item.kind === "value").find(({ name }) => name === "value");
}

function closingTag(tag: string): string {
  return VOID_TAGS.has(tag) ? "" : `</${tag}>`;
}

/** Code of a function that creates an element. @param tpl name of the part that does. @param prefix of names that the source does not have */
export function makerCode(element: Element, tpl: string, prefix: string): string {
  const html = templateHtml(element);
  const { foreign } = element;
  if (!foreign) return `${tpl}(${JSON.stringify(html)})`;
  // The HTML parser creates SVG elements only inside <svg>, and MathML elements only inside <math>.
  const outer = JSON.stringify(`<${foreign}>${html}</${foreign}>`);
  return `((${prefix}make) => () => ${prefix}make().firstElementChild)(${tpl}(${outer}))`;
}
