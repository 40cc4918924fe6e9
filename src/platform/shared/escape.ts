/**
 * Escaping by context. Searching for single characters is faster than a regular expression, and a text
 * without any of them is returned as it is.
 */

/** For text between tags: `&`, `<`, and the carriage return, which the parser takes for a line feed. */
export const escapeText = (text: string): string =>
  text.includes("<") || text.includes("&") || text.includes("\r") ? escapeSlow(text) : text;

/** For a double-quoted attribute value: `"` as well; `<`, for an attribute inside raw text could close it. */
export const escapeAttribute = (text: string): string => (text.includes('"') ? escapeSlow(text) : escapeText(text));

/** For JSON inside a script element: `<` and the two line ends that JavaScript knows and JSON does not. */
export function escapeScriptJson(json: string): string {
  if (!json.includes("<") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("<", "\\u003c");
}

/** By character code: `\r`, `"`, `&`, `<`. */
const REPLACEMENTS: Readonly<Record<number, string>> = { 13: "&#13;", 34: "&quot;", 38: "&amp;", 60: "&lt;" };

function escapeSlow(text: string): string {
  let out = "";
  let last = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const replacement = REPLACEMENTS[code];
    if (replacement === undefined) continue;
    out += text.slice(last, index) + replacement;
    last = index + 1;
  }
  return out + text.slice(last);
}
