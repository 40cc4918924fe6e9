/**
 * Escaping by context. Searching for single characters is faster than a regular expression, and a text
 * without any of them is returned as it is.
 */

/** For text between tags: `&` and `<`. */
export const escapeText = (text: string): string =>
  text.includes("<") || text.includes("&") ? escapeSlow(text) : text;

/** For a double-quoted attribute value: `"`, `&`, and `<` (an attribute inside raw text could close it). */
export const escapeAttribute = (text: string): string =>
  text.includes('"') || text.includes("&") || text.includes("<") ? escapeSlow(text) : text;

/** For JSON inside a script element: `<` and the two line ends that JavaScript knows and JSON does not. */
export function escapeScriptJson(json: string): string {
  // What most texts have comes last: a text just put together from pieces is copied before it can be searched.
  const oneLine = json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return oneLine.replaceAll("<", "\\u003c");
}

function escapeSlow(text: string): string {
  let out = "";
  let last = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const replacement = code === 38 ? "&amp;" : code === 60 ? "&lt;" : code === 34 ? "&quot;" : undefined;
    if (replacement === undefined) continue;
    out += text.slice(last, index) + replacement;
    last = index + 1;
  }
  return out + text.slice(last);
}
