/**
 * The address of the client: behind proxies whose addresses are configured (SVC_TRUST_PROXY), the right-most hop of `X-Forwarded-For`
 * that is not one of them. The client can forge all hops to the left of it.
 */
import { isIP } from "node:net";
import { remembered } from "../shared/collections/memoize.ts";
import type { CidrSet } from "./ssrf/cidr.ts";

/**
 * @param socketAddress peer of the connection.
 * @returns an address; if a hop behind the proxies is not an address (`unknown`, RFC 7239 section 6.2), the last valid one.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | undefined, trusted: CidrSet): string {
  let client = bare(socketAddress);
  if (trusted.size === 0 || forwardedFor === undefined) return client;
  for (const hop of forwardedFor.split(",").reverse()) {
    if (!trusted.has(client)) return client;
    const address = bare(hop.trim());
    if (isIP(address) === 0) return client;
    client = address;
  }
  return client;
}

/** Whether the request reached svc, or its trusted proxy, over TLS. */
export function isSecure(
  isTls: boolean,
  socketAddress: string,
  forwardedProto: string | undefined,
  trusted: CidrSet,
): boolean {
  if (isTls) return true;
  return isProxy(socketAddress, trusted) && lastOf(forwardedProto)?.toLowerCase() === "https";
}

/** The host in the client's request: a trusted proxy may have replaced `Host`. */
export function requestHost(
  host: string | undefined,
  socketAddress: string,
  forwardedHost: string | undefined,
  trusted: CidrSet,
): string | undefined {
  return (isProxy(socketAddress, trusted) ? lastOf(forwardedHost) : undefined) ?? host;
}

function isProxy(socketAddress: string, trusted: CidrSet): boolean {
  return trusted.size > 0 && trusted.has(bare(socketAddress));
}

/** The last part of a list, which the nearest proxy wrote. */
function lastOf(list: string | undefined): string | undefined {
  return list?.split(",").at(-1)?.trim() || undefined;
}

/** An address without port and brackets, which some proxies add; `::ffff:1.2.3.4` is how a dual-stack socket reports 1.2.3.4. */
const bare = remembered((text) => {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:\d+\./i.test(address) ? address.slice(7) : address;
});
