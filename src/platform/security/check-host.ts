/** The addresses of a name, judged before anybody connects; the connector judges them again (guarded-agent.ts). */
import { parseAddress } from "./address.ts";
import { resolveAddresses, type Resolve } from "./resolve.ts";
import type { SsrfPolicy } from "./ssrf.ts";

/**
 * Resolves a name once and checks every address, as the connector will: for telling a caller early.
 * @returns the refusal, or undefined when the addresses pass or the name does not resolve (the attempt decides)
 */
export async function checkHost(policy: SsrfPolicy, hostname: string, resolve: Resolve = resolveAddresses) {
  if (parseAddress(hostname)) return undefined;
  const addresses = await resolve(hostname).catch(() => []);
  return firstRefusal(policy, hostname, addresses);
}

/** The first of the addresses that the policy refuses, and why. */
export function firstRefusal(policy: SsrfPolicy, hostname: string, addresses: readonly string[]) {
  for (const address of addresses) {
    const verdict = policy.checkAddress(address, hostname);
    if (!verdict.ok) return verdict;
  }
  return undefined;
}
