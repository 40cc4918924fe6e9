/**
 * A short fingerprint of a Content-Security-Policy. The browser compares the fingerprint of a response with that of the current
 * page.
 * It is not a secure hash; a response also needs svc's page header.
 */

/**
 * Nonces and hashes differ between pages of one app, and so does `'strict-dynamic'`, which accompanies nonces. `report-to` needs
 * HTTPS.
 */
const VARYING = / '(?:nonce-|sha\d+-|strict-dynamic)[^']*'|; report-to [^;]*/g;

/** @param policy the header's value; empty if there is no policy. */
export function policyMark(policy: string): string {
  let hash = 0;
  for (const character of policy.replace(VARYING, "")) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return (hash >>> 0).toString(36);
}
