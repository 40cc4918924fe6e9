/** Facts of HTML the compiler needs. Source: WHATWG HTML, sections 4 (elements), 13.1.2 (void elements). */

export const VOID_TAGS = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Attributes that hold a URL: a script URL in them would run. */
export const URL_ATTRIBUTES = new Set(
  "href src action formaction poster cite data background manifest ping xlink:href".split(" "),
);

/** Attributes whose state moves away from the markup once the user acts, so the browser sets the property. */
export const PROPERTIES = new Set(["value", "checked", "selected", "muted", "disabled", "open", "indeterminate"]);

/** JSX spellings that differ from the attribute's name. */
const ATTRIBUTE_NAMES: Record<string, string> = { className: "class", htmlFor: "for" };

export function attributeName(jsxName: string): string {
  return ATTRIBUTE_NAMES[jsxName] ?? jsxName;
}

/** `onKeyDown` -> `keydown`; undefined for a name that is no handler. */
export function eventType(jsxName: string): string | undefined {
  if (!/^on[A-Z]/.test(jsxName)) return undefined;
  const type = jsxName.slice(2).toLowerCase();
  return type === "doubleclick" ? "dblclick" : type;
}
