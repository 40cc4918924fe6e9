/** Facts about HTML attributes on which server, compiler and browser must agree. Source: WHATWG HTML section 2.4, WAI-ARIA 1.2. */

/** Attributes with a URL, in lower case. A script URL in them would run. */
const URL_ATTRIBUTES: ReadonlySet<string> = new Set(
  "href src action formaction poster cite data background manifest ping xlink:href".split(" "),
);

/** Attributes of SVG animations with values of the animated attribute, which may be `href`. */
const ANIMATED = new Set(["from", "to", "by", "values"]);
const ANIMATIONS = new Set(["animate", "set"]);

/** @param name of an attribute, in lower case @param tag undefined: unknown */
export function isUrlAttribute(name: string, tag: string | undefined): boolean {
  return URL_ATTRIBUTES.has(name) || (ANIMATED.has(name) && (tag === undefined || ANIMATIONS.has(tag)));
}

/** Elements without content and end tag (WHATWG HTML 13.1.2). */
export const VOID_TAGS: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Attributes with the values `true` and `false`, in place of presence and absence. */
const ENUMERATED = /^(aria-|data-)|^(spellcheck|draggable|contenteditable)$/;

/** @param name of an attribute, in lower case. */
export function isEnumerated(name: string): boolean {
  return ENUMERATED.test(name);
}
