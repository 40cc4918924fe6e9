/**
 * Names of elements that hide members of `document` or of a form: `<img name="querySelector">` replaces `document.querySelector`, and
 * `<input name="getAttribute">` the method of its form (HTML, "named property visibility": both override built-ins). The runtime needs these
 * members, so data must not choose such names. Ships to browsers.
 */

/** Elements that a form exposes as properties by `name` and `id` (HTML, "listed elements", and images for legacy reasons). */
export const FIELD_TAGS: ReadonlySet<string> = new Set(
  "button fieldset img input object output select textarea".split(" "),
);

/** Elements that `document` exposes as properties by `name`, some also by `id`. */
const DOCUMENT_TAGS: ReadonlySet<string> = new Set("embed form iframe img object".split(" "));

/** Properties of a form that the runtime uses. A field of the same name would hide them. */
export const FORM_PROPERTIES: ReadonlySet<string> = new Set(
  "parentNode parentElement children childNodes firstChild firstElementChild lastElementChild nextElementSibling previousElementSibling nextSibling previousSibling getAttribute getAttributeNames hasAttribute setAttribute removeAttribute toggleAttribute closest querySelector querySelectorAll insertBefore appendChild append remove before after isConnected getRootNode".split(
    " ",
  ),
);

/** The members that an attribute may hide: of forms only, or of `document` as well. @param tag in lower case */
export function membersBehind(name: string, tag: string): "form" | "document" | undefined {
  if (name !== "name" && name !== "id") return undefined;
  if (DOCUMENT_TAGS.has(tag)) return "document";
  return FIELD_TAGS.has(tag) ? "form" : undefined;
}

/** The value, or undefined if it would hide a member. @param isMember whether `document` has a member of that name; default: not asked */
export function unlessHiding(value: unknown, isMember?: (name: string) => boolean): unknown {
  const text = String(value);
  return FORM_PROPERTIES.has(text) || isMember?.(text) === true ? undefined : value;
}
