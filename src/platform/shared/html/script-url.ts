/** Detects URLs that run a script when followed. A separate file, because it ships to browsers. */

/**
 * Schemes that execute their content. Browsers ignore tabs and line ends anywhere, and control characters and spaces at the start,
 * so these are removed first (WHATWG URL, basic URL parser). Images, fonts, audio and video can't run scripts.
 * `values` of an SVG animation is a list with semicolons.
 */
const SCRIPT_URL = /(?:^|;)(?:javascript|vbscript):|^data:(?!(?:image(?!\/svg)|font|audio|video)\/)/i;
// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const DROPPED_BY_PARSERS = /[\u0000-\u0020\u007f-\u009f]/g;

/** Replaces a script URL. */
export const SAFE_URL = "about:blank";

/** Whether a URL would run script when followed. */
export function isScriptUrl(url: string): boolean {
  return url.includes(":") && SCRIPT_URL.test(url.replace(DROPPED_BY_PARSERS, ""));
}
