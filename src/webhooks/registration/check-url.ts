/** Whether a URL may be called, told in advance and in full: for those who are about to register it. Attempts judge anew. */
import { parseAddress } from "../../platform/security/address.ts";
import { refusedBy } from "../../platform/security/address-ranges.ts";
import { firstRefusal } from "../../platform/security/check-host.ts";
import { resolveAddresses, type Resolve } from "../../platform/security/resolve.ts";
import type { Refusal, SsrfPolicy } from "../../platform/security/ssrf.ts";

export interface UrlCheck {
  ok: boolean;
  /** Undefined where the text is no URL. */
  host: string | undefined;
  /**
   * Of the addresses that it leads to, each kind once: `public`, or the rule that tells of it: `private`, `loopback`, `link-local`, …
   * Never an address. Empty where none was looked for, or the name leads to none.
   */
  classes: string[];
  /** Which rule refuses it, such as `private` or `local-name`. */
  rule: string | undefined;
  /** What was refused and what is allowed. */
  detail: string | undefined;
}

/** Resolves the name where the text itself is not refused already. */
export async function checkUrl(
  policy: SsrfPolicy,
  rawUrl: string,
  resolve: Resolve = resolveAddresses,
): Promise<UrlCheck> {
  const verdict = policy.checkUrl(rawUrl);
  const host = URL.canParse(rawUrl) ? new URL(rawUrl).hostname : undefined;
  if (host === undefined) return judgement(host, [], verdict.ok ? undefined : verdict);
  if (parseAddress(host)) return judgement(host, [host], verdict.ok ? undefined : verdict);
  if (!verdict.ok || verdict.isExempt) return judgement(host, [], verdict.ok ? undefined : verdict);
  const addresses = await resolve(host).catch(() => []);
  return judgement(host, addresses, firstRefusal(policy, host, addresses));
}

function judgement(host: string | undefined, addresses: readonly string[], refusal: Refusal | undefined): UrlCheck {
  const classes = [...new Set(addresses.map((address) => refusedBy(address) ?? "public"))].sort();
  return { ok: refusal === undefined, host, classes, rule: refusal?.rule, detail: refusal?.detail };
}
