/** The stored one-line summary of a run, for lists. */

/** Enough for a row of a list, and short enough for a fast search. */
export const MAX_SUMMARY_LENGTH = 200;

/** Converts any value to one line, because a summary must not fail the node. A long one ends with an ellipsis. */
export function summaryOf(given: unknown): string {
  // More than is stored, but far less than a text of megabytes.
  const start = String(given).slice(0, MAX_SUMMARY_LENGTH * 10);
  const text = start
    .replaceAll(/\p{Cs}/gu, "\ufffd")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (text.length <= MAX_SUMMARY_LENGTH) return text;
  // Does not split a surrogate pair.
  return `${text.slice(0, MAX_SUMMARY_LENGTH - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
