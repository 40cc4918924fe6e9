/**
 * A short mark of a Content-Security-Policy, by which a browser compares the policy of a response with that of the current page.
 * Not a secure hash: a response needs svc's page marker besides.
 */

/** Nonces and hashes differ between pages of one app, as does `'strict-dynamic'`, which belongs to nonces. `report-to` needs HTTPS. */
const VARYING = / '(?:nonce-|sha\d+-|strict-dynamic)[^']*'|; report-to [^;]*/g;

/** @param policy the header's text; empty where there is no policy. */
export function policyMark(policy: string): string {
  let hash = 0;
  for (const character of policy.replace(VARYING, "")) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return (hash >>> 0).toString(36);
}
