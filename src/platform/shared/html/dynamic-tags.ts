/** Tags of `<Dynamic>`, on the server and in the browser: HTML tags in lower case, and custom elements. */

const TAG = /^[a-z][a-z0-9]*(?:-[a-z0-9-]*)?$/;
/** Tags whose content is code, or is not parsed as HTML. */
export const REFUSED_TAGS: ReadonlySet<string> = new Set([
  "script",
  "style",
  "iframe",
  "noscript",
  "template",
  "title",
  "xmp",
]);

export function mayBeDynamic(tag: string): boolean {
  return TAG.test(tag) && !REFUSED_TAGS.has(tag);
}
