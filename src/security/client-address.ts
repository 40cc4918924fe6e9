/**
 * Who is really asking: behind proxies whose addresses are configured (SVC_TRUST_PROXY), the right-most hop of
 * `X-Forwarded-For` that is not one of them. Everything further left was written by the client and proves nothing.
 */
import type { CidrSet } from "./cidr.ts";

/** @param socketAddress peer of the connection. */
export function clientAddress(socketAddress: string, forwardedFor: string | undefined, trusted: CidrSet): string {
  const own = unmapped(socketAddress);
  if (trusted.size === 0 || forwardedFor === undefined || !trusted.has(own)) return own;
  const hops = forwardedFor.split(",").map((hop) => unmapped(hop.trim()));
  return hops.findLast((hop) => !trusted.has(hop)) ?? hops[0] ?? own;
}

/** Whether the request reached us, or our proxy, over TLS. */
export function isSecure(
  isTls: boolean,
  socketAddress: string,
  forwardedProto: string | undefined,
  trusted: CidrSet,
): boolean {
  if (isTls) return true;
  const isFromProxy = trusted.size > 0 && trusted.has(unmapped(socketAddress));
  return isFromProxy && forwardedProto?.split(",").at(-1)?.trim().toLowerCase() === "https";
}

/** `::ffff:1.2.3.4` is how a dual-stack socket spells 1.2.3.4. */
function unmapped(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
