/**
 * Who is really asking: behind proxies whose addresses are configured (SVC_TRUST_PROXY), the right-most hop of
 * `X-Forwarded-For` that is not one of them. Everything further left was written by the client and proves nothing.
 */
import { isIP } from "node:net";
import { remembered } from "../shared/memoize.ts";
import type { CidrSet } from "./cidr.ts";

/**
 * @param socketAddress peer of the connection.
 * @returns an address; where a hop behind our proxies is none (`unknown`, RFC 7239 section 6.2), the last one that is.
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

/** Whether the request reached us, or our proxy, over TLS. */
export function isSecure(
  isTls: boolean,
  socketAddress: string,
  forwardedProto: string | undefined,
  trusted: CidrSet,
): boolean {
  if (isTls) return true;
  return isProxy(socketAddress, trusted) && lastOf(forwardedProto)?.toLowerCase() === "https";
}

/** The host that the client asked for: a trusted proxy may have put its own into `Host`. */
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

/** Of a list, the part that the nearest proxy wrote. */
function lastOf(list: string | undefined): string | undefined {
  return list?.split(",").at(-1)?.trim() || undefined;
}

/** An address without port and brackets, as some proxies add them; `::ffff:1.2.3.4` is how a dual-stack socket spells 1.2.3.4. */
const bare = remembered((text) => {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:\d+\./i.test(address) ? address.slice(7) : address;
});
