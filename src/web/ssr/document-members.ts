/** Members of `document` that scripts of svc, or of apps, are likely to use. Browsers ask `document` itself. */
const MEMBERS: ReadonlySet<string> = new Set(
  (
    "URL activeElement addEventListener adoptNode append baseURI body characterSet childNodes children close contains " +
    "cookie createComment createDocumentFragment createElement createElementNS createEvent createRange createTextNode " +
    "createTreeWalker currentScript defaultView dispatchEvent doctype documentElement documentURI domain elementFromPoint " +
    "elementsFromPoint firstChild firstElementChild fonts forms getAnimations getElementById getElementsByClassName " +
    "getElementsByName getElementsByTagName getRootNode getSelection hasFocus head hidden images implementation importNode " +
    "insertBefore lastChild lastElementChild links location nodeType open ownerDocument parentNode prepend querySelector " +
    "querySelectorAll readyState referrer removeChild removeEventListener replaceChildren scripts scrollingElement " +
    "startViewTransition styleSheets textContent timeline title visibilityState write"
  ).split(" "),
);

export function isDocumentMember(name: string): boolean {
  return MEMBERS.has(name);
}
