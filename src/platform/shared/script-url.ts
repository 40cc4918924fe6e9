/** URLs that run script when followed. A file of its own: it ships to browsers. */

/**
 * Schemes that run what follows them. Browsers drop tabs and line ends anywhere and controls and spaces in front, so they
 * are taken out before looking (WHATWG URL, basic URL parser). Pictures, fonts, sound and video can't run script.
 */
const SCRIPT_URL = /^(?:javascript|vbscript|data(?!:(?:image(?!\/svg)|font|audio|video)\/)):/i;
// eslint-disable-next-line no-control-regex -- those are what is looked for
const DROPPED_BY_PARSERS = /[\u0000-\u0020\u007f-\u009f]/g;

/** Stands where a script URL was given. */
export const SAFE_URL = "about:blank";

/** Whether a URL would run script when followed. */
export function isScriptUrl(url: string): boolean {
  return url.includes(":") && SCRIPT_URL.test(url.replace(DROPPED_BY_PARSERS, ""));
}
