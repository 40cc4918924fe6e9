/** Facts about HTML that the compiler needs. Source: WHATWG HTML, sections 4 (elements), 13.1.2 (void elements). */
import type { Element } from "../model.ts";

/** Elements whose content the parser does not decode, entities included (13.2.6.2, "raw text"). */
export const RAW_TEXT_TAGS = new Set(["script", "style"]);

const DROPS_FIRST_LINE_END = new Set(["pre", "textarea", "listing"]);

/** Whether the parser drops a newline at the start of the element's content (13.2.6.4.7). A second newline prevents that. */
export function losesLineEnd(element: Element): boolean {
  if (!DROPS_FIRST_LINE_END.has(element.tag)) return false;
  const [first] = element.items;
  if (first?.kind === "text") return first.text.startsWith("\n");
  return first?.kind !== "element";
}

/** Elements inside `<svg>` and `<math>` whose content is HTML again (13.2.6.5, "integration points"). */
const BACK_TO_HTML = new Set("foreignObject desc title mi mo mn ms mtext annotation-xml".split(" "));

/** @returns the namespace of an element below `ancestors` (outermost first); undefined for HTML. */
export function foreignRoot(ancestors: readonly string[]): "svg" | "math" | undefined {
  const root = ancestors.findLast((tag) => tag === "svg" || tag === "math" || BACK_TO_HTML.has(tag));
  if (root !== undefined) return root === "svg" || root === "math" ? root : undefined;
  // The root of a component that is used inside <svg> or <math>.
  const first = ancestors[0] ?? "";
  return SVG_TAGS.has(first) ? "svg" : MATH_TAGS.has(first) ? "math" : undefined;
}

/** Elements that exist only in SVG (SVG 2, appendix F) or only in MathML (MathML Core, section 2). HTML has elements of the other names. */
const SVG_TAGS = new Set(
  "animate animateMotion animateTransform circle clipPath defs ellipse filter g image line linearGradient marker mask path pattern polygon polyline radialGradient rect stop switch symbol text textPath tspan use view".split(
    " ",
  ),
);
const MATH_TAGS = new Set(
  "mfrac mmultiscripts mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtr munder munderover semantics".split(
    " ",
  ),
);

/** Attributes whose current state differs from the markup after user input, so the browser sets the property instead. */
export const PROPERTIES = new Set(["value", "checked", "selected", "muted", "disabled", "open", "indeterminate"]);

/** Names of React and Solid that are no attributes, and the attributes that they mean. Browsers would ignore them. */
export const ATTRIBUTES_BEHIND: ReadonlyMap<string, string> = new Map([
  ["className", "class"],
  ["classList", "class"],
  ["htmlFor", "for"],
  ["defaultValue", "value"],
  ["defaultChecked", "checked"],
  ["acceptCharset", "accept-charset"],
  ["httpEquiv", "http-equiv"],
  ["innerHTML", "dangerouslySetInnerHTML"],
  ["xlinkHref", "href"],
  ...(
    "clipPath clipRule colorInterpolation dominantBaseline fillOpacity fillRule floodColor floodOpacity fontFamily fontSize fontStyle fontWeight " +
    "letterSpacing markerEnd markerMid markerStart paintOrder pointerEvents shapeRendering stopColor stopOpacity strokeDasharray strokeDashoffset " +
    "strokeLinecap strokeLinejoin strokeMiterlimit strokeOpacity strokeWidth textAnchor textDecoration vectorEffect"
  )
    .split(" ")
    .map((name): [string, string] => [name, name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)]),
]);

/** Prefixes of attributes of Svelte and Solid, and what to write instead of `class:active={isActive}`. */
export const FOREIGN_PREFIXES: Readonly<Record<string, (name: string) => string>> = {
  class: (name) => `class={{ ${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}: condition }}`,
  style: (name) => `style={{ ${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}: value }}`,
  use: () => "ref={(element) => …}",
  prop: (name) => `${name}={value}`,
  attr: (name) => `${name}={value}`,
  oncapture: (name) => `on${name.slice(0, 1).toUpperCase()}${name.slice(1)}Capture={(event) => …}`,
  transition: () => "a CSS transition or animation in a stylesheet",
  animate: () => "a CSS transition or animation in a stylesheet",
  in: () => "a CSS animation in a stylesheet",
  out: () => "a CSS transition in a stylesheet",
};
