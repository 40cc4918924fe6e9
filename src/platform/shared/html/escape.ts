/**
 * Escaping by context. A search for single characters is faster than a regular expression. Text without
 * special characters is returned unchanged.
 */

/** For text between tags: `&`, `<`, and the carriage return, which the HTML parser would turn into a line feed. */
export const escapeText = (text: string): string =>
  text.includes("<") || text.includes("&") || text.includes("\r") ? escapeSlow(text) : text;

/** For a double-quoted attribute value: also escapes `"`, and `<` because an attribute inside raw text could close it. */
export const escapeAttribute = (text: string): string => (text.includes('"') ? escapeSlow(text) : escapeText(text));

/** For JSON inside a script element: `<`, and the two line separators that are line ends in JavaScript but not in JSON. */
export function escapeScriptJson(json: string): string {
  if (!json.includes("<") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("<", "\\u003c");
}

/** Replacements by character code: `\r`, `"`, `&`, `<`. */
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
