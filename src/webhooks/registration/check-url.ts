/** Checks in advance whether a URL may be called, with all reasons, before it is registered. Each attempt checks again. */
import { parseAddress } from "../../platform/security/ssrf/address.ts";
import { refusedBy } from "../../platform/security/ssrf/address-ranges.ts";
import { firstRefusal } from "../../platform/security/ssrf/check-host.ts";
import { resolveAddresses, type Resolve } from "../../platform/security/ssrf/resolve.ts";
import type { Refusal, SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";

export interface UrlCheck {
  ok: boolean;
  /** Undefined if the text is not a URL. */
  host: string | undefined;
  /**
   * Kinds of its addresses, each once: `public`, or the rule: `private`, `loopback`, `link-local`, … Never an address. Empty if none was
   * resolved.
   */
  classes: string[];
  /** The rule that refuses it, such as `private` or `local-name`. */
  rule: string | undefined;
  /** The refused value and the allowed ones. */
  detail: string | undefined;
}

/** Resolves the name unless the text itself is refused. */
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
