/**
 * Parses IPv4 and IPv6 text into one canonical form. address-ranges.ts and cidr.ts decide what an address may be used for.
 *
 * Both families have the same form: eight 16-bit words, IPv4 as its IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2). So
 * `10.0.0.1` and `::ffff:10.0.0.1` are identical, and no spelling bypasses a rule.
 */
import { isIP } from "node:net";

/** Eight 16-bit words. */
export type Address = readonly number[];

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0xffff] as const;

/**
 * Parses an address that `net.isIP` accepts; IPv6 may have brackets, as in `URL.hostname`.
 * @returns undefined for other text, including a zone id (`fe80::1%eth0`), which is only meaningful on one link.
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (bare.includes("%")) return undefined;
  const version = isIP(bare);
  if (version === 4) return [...MAPPED_PREFIX, ...wordsOfIPv4(bare)];
  return version === 6 ? wordsOfIPv6(bare) : undefined;
}

/** Whether the address is IPv4, in either spelling. */
export function isIPv4Address(address: Address): boolean {
  return MAPPED_PREFIX.every((word, index) => address[index] === word);
}

function wordsOfIPv4(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [(a << 8) | b, (c << 8) | d];
}

/** @param text a valid IPv6 address */
function wordsOfIPv6(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const before = wordsOfGroups(head);
  if (tail === undefined) return before;
  const after = wordsOfGroups(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function wordsOfGroups(groups: string): number[] {
  if (groups === "") return [];
  return groups
    .split(":")
    .flatMap((group) => (group.includes(".") ? wordsOfIPv4(group) : [Number.parseInt(group, 16)]));
}
