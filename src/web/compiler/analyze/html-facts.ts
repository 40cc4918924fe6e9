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

/** DOM property names that other frameworks use for attributes whose names are reserved words of JavaScript. JSX accepts the attribute names. */
export const ATTRIBUTES_BEHIND: ReadonlyMap<string, string> = new Map([
  ["className", "class"],
  ["htmlFor", "for"],
]);
