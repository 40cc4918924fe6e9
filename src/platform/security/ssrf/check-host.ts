/** Checks the addresses of a name before a connection; guarded-agent.ts checks them again when it connects. */
import { parseAddress } from "./address.ts";
import { resolveAddresses, type Resolve } from "./resolve.ts";
import type { SsrfPolicy } from "./ssrf.ts";

/**
 * Resolves a name once and checks every address as the connector will, to report a refusal early.
 * @returns the refusal, or undefined if the addresses pass or the name does not resolve; the attempt then decides
 */
export async function checkHost(policy: SsrfPolicy, hostname: string, resolve: Resolve = resolveAddresses) {
  if (parseAddress(hostname)) return undefined;
  const addresses = await resolve(hostname).catch(() => []);
  return firstRefusal(policy, hostname, addresses);
}

/** The refusal of the first address that the policy refuses. */
export function firstRefusal(policy: SsrfPolicy, hostname: string, addresses: readonly string[]) {
  for (const address of addresses) {
    const verdict = policy.checkAddress(address, hostname);
    if (!verdict.ok) return verdict;
  }
  return undefined;
}
