/** English texts of forms that apps can translate. The server and forms.js use the same ones, so that one table translates both. */

/** A form or an action of a page whose visitor has lost the session. */
export const SESSION_EXPIRED = "Your session has expired. Reload the page.";

export const FORM_TEXTS = {
  expired: SESSION_EXPIRED,
  tooMany: "Too many requests",
  failed: "Internal error",
  tooLarge: "The file is too large; at most {limit} are allowed",
  unreachable: "The server can't be reached. Try again.",
  offline: "You are offline. Try again once you are connected.",
  invalid: "Fix the errors in the form.",
} as const;

/** A size for visitors: `64 KB`, `1.5 MB`. Units are powers of 1024. */
export function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes >= 1 ? `${Math.round(mebibytes * 10) / 10} MB` : `${Math.ceil(bytes / 1024)} KB`;
}
