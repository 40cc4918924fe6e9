/** What an author says of a run in a few words, as it is kept: one line, for lists. */

/** As much as a row of a list has room for, and a search is quick with. */
export const MAX_SUMMARY_LENGTH = 200;

/** As one line, whatever it is: what is only told must not fail the node. What is too long ends with an ellipsis. */
export function summaryOf(given: unknown): string {
  // Far more than is kept, so that a text of megabytes is not gone through.
  const start = String(given).slice(0, MAX_SUMMARY_LENGTH * 10);
  const text = start
    .replaceAll(/\p{Cs}/gu, "\ufffd")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (text.length <= MAX_SUMMARY_LENGTH) return text;
  // No half of a character.
  return `${text.slice(0, MAX_SUMMARY_LENGTH - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
