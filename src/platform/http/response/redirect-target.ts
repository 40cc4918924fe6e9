/** Decides where a redirect may lead, as a browser resolves its target (WHATWG URL section 4.4). */

/** Two sites that differ in scheme and host: a target that stays on both of them stays on every site. */
const SITES = ["http://a.invalid", "https://b.invalid"];
/** Browsers remove some of these characters before they resolve a target; a header can't contain them. */
const CONTROL = /\p{Cc}/u;

/** Whether a target stays on the site that sends it: a path, a query or another relative reference. */
export function isOwnTarget(location: string): boolean {
  if (CONTROL.test(location)) return false;
  return SITES.every((site) => URL.canParse(location, site) && new URL(location, site).origin === site);
}

/** Whether a target is an absolute URL of the web, and neither a script nor data. */
export function isWebUrl(location: string): boolean {
  if (CONTROL.test(location) || !/^https?:\/\/[^/\\]/i.test(location) || !URL.canParse(location)) return false;
  const { username, password } = new URL(location);
  // Credentials hide the host: https://bank.example@evil.example
  return username === "" && password === "";
}
