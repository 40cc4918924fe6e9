/**
 * Takes svc's own meaning out of HTML that an app writes unescaped (`dangerouslySetInnerHTML`). A sanitizer of the app does not know
 * the resume protocol, and may let `s` and `on:click` pass, which would call handlers of the page. It may also let pass names such as
 * `<img name="querySelector">`, which hide members of `document`. Ships to browsers.
 *
 * The replacement writes one character as a character reference. In text and in attribute values the parser decodes it, so nothing changes.
 * In the name of an attribute it does not, so the attribute has another name. No parser is needed, and none can be deceived.
 */
// Literals, because the names of wire.ts would make this asset twice as large. raw-html.test.ts compares them. An attribute's name begins
// after white space, a slash or a quote.
const HANDLER = /[\s"'/]on:/gi;
const PROTOCOL = /[\s"'/](?:s|b|m|pt|eb|data-svc-(?:wait|piece|more))\s*=/gi;
const NAME = /([\s"'/](name|id)\s*)=(\s*["']?([^\s"'>]*))/gi;
/** Elements that `document` also exposes by their id. */
const EXPOSED_BY_ID = /<(?:img|object)/i;

/** @param isMember whether `document` has a member of this value of an attribute, or if that is `name`, a form */
export function inertHtml(html: string, isMember: (value: string, isName: boolean) => boolean): string {
  const isExposedById = EXPOSED_BY_ID.test(html);
  return html
    .replace(HANDLER, (found) => `${found.slice(0, -1)}&#58;`)
    .replace(PROTOCOL, (found) => `${found.slice(0, -1)}&#61;`)
    .replace(NAME, (found, before: string, attribute: string, after: string, value: string) => {
      const isName = attribute.toLowerCase() === "name";
      const counts = isExposedById || isName;
      // A character reference could spell any name.
      return counts && (value.includes("&#") || isMember(value, isName)) ? `${before}&#61;${after}` : found;
    });
}
