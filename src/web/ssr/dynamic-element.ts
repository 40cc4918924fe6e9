/**
 * An element whose name is known during the render only: of `<Dynamic is="h2">`, and of `<Tag>` if `Tag` is a text. Its handlers, its ref,
 * and its attributes and children that change are bound by a chunk of the package (src/web/client/created/element-chunk.ts).
 */
import type { Child } from "../jsx/element.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { mayBeDynamic, REFUSED_TAGS } from "../../platform/shared/html/dynamic-tags.ts";
import { VOID_TAGS } from "../../platform/shared/html/html.ts";
import { DOM, PATHS } from "../../platform/shared/wire.ts";
import { currentRender, renderInProgress } from "./current-page.ts";
import { isLive, LIVE, livePart, liveRange, type Props } from "./resume/live-props.ts";
import { bindsSome, boundProps, boundSpread, unknownHandler } from "./resume/spread-props.ts";
import type { TemplateInfo } from "./template-info.ts";
import { t } from "./write.ts";

const TEXT_FIELD = "textarea";
/** Attribute that is the content of a `<textarea>`. */
const VALUE = "value";

/** Describes these elements like templates of a module. */
const ELEMENT: TemplateInfo = {
  moduleId: PATHS.elementChunk,
  bind: "b",
  events: [],
  parts: ["attr", "create", "effect", "prop", "region", "spread"],
  names: ["<Dynamic>", "attributes", "children"],
};

/**
 * HTML of an element with attributes and children.
 * @throws SvcError `SVC_DEFINITION` for an invalid tag or one whose content is not HTML; in development also for a handler that the
 *   browser can't create
 */
export function dynamicElement(tag: string, props: Props): string {
  if (!mayBeDynamic(tag)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `<Dynamic is=${JSON.stringify(tag)}> can't be rendered. Use a component, or a tag in lower case other than ${[...REFUSED_TAGS].join(", ")}.`,
    );
  }
  const { children, ...attributes } = props;
  if (renderInProgress()?.isDevelopment) refuseUnknown(tag, attributes);
  const isText = tag === TEXT_FIELD;
  const open = `<${tag}${scopeOf(props, attributes)}${boundSpread(attributes, isText ? [VALUE] : [], tag)}>`;
  if (VOID_TAGS.has(tag)) return open;
  // The parser drops the first line break.
  if (isText) return `${open}\n${textOf(attributes, children)}</${tag}>`;
  return `${open}${liveRange(props, "children", DOM.elementChildren, t(children as Child))}</${tag}>`;
}

/** Content of a `<textarea>`. The parser takes marks of content that changes for text. */
function textOf(attributes: Props, children: unknown): string {
  const text = t(children as Child);
  if (!text.includes("<")) return text || t(attributes[VALUE] as Child);
  throw new SvcError(
    "SVC_DEFINITION",
    "The children of a <textarea> whose name is a value are no fixed text. Give it its text as an attribute: value={text}.",
  );
}

/** The scope attribute, if the browser binds something. */
function scopeOf(props: Props, attributes: Props): string {
  const hasChildren = props[LIVE] !== undefined && isLive(props, "children");
  if (!hasChildren && !bindsSome(attributes, [])) return "";
  const slots = [boundProps(attributes, [], ELEMENT, "d"), hasChildren ? livePart(props, "children") : 0];
  return currentRender().scopes.add(ELEMENT, slots.length, slots);
}

function refuseUnknown(tag: string, attributes: Props): void {
  const handler = unknownHandler(attributes);
  if (handler === undefined) return;
  throw new SvcError(
    "SVC201",
    `SVC201 <${tag}> got the handler ${handler}, which the browser can't create from here. ` +
      `Write it as an attribute: ${handler}={…}, or spread an object that a hook returns, by its name: const attributes = use…(); and {...attributes}.`,
  );
}
