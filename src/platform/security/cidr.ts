/**
 * Address ranges in CIDR notation (RFC 4632, RFC 4291 section 2.3), as configured by users: webhook exemptions and
 * trusted proxies. Owns: reading and matching them. Not: what a match means.
 */
import { SvcError } from "../shared/errors.ts";
import { isIPv4Address, parseAddress, type Address } from "./address.ts";

/** A range of addresses of one family. */
export interface Cidr {
  /** As written. */
  readonly text: string;
  readonly network: Address;
  /** Leading bits that must match, counted on the 128-bit form: an IPv4 `/8` is 104. */
  readonly bits: number;
  readonly isIPv4: boolean;
}

/** IPv4 addresses sit behind 96 bits of IPv4-mapped prefix. */
const IPV4_OFFSET_BITS = 96;

/**
 * Reads `10.0.0.0/8`, `fd00::/8`, or a lone address (its own range).
 * @throws SvcError `SVC_CONFIG` for anything else, bits set behind the prefix included: `10.1.0.0/8` is most often a typo.
 */
export function parseCidr(text: string): Cidr {
  const [addressText = "", prefixText, ...rest] = text.trim().split("/");
  const network = parseAddress(addressText);
  if (!network || rest.length > 0) throw invalid(text, "is not an address range");
  const isDotted = !addressText.includes(":");
  const bits = prefixBits(text, prefixText, isDotted);
  if (
    !matches(
      network,
      network.map((word, index) => word & wordMask(bits, index)),
      128,
    )
  )
    throw invalid(text, `has bits set behind the first ${prefixText}`);
  return { text: text.trim(), network, bits, isIPv4: isIPv4Address(network) && bits >= IPV4_OFFSET_BITS };
}

/** Ranges to look addresses up in. An IPv6 range never covers IPv4 addresses, not even `::/0`. */
export class CidrSet {
  readonly #ranges: readonly Cidr[];

  /** @param ranges texts as {@link parseCidr} reads them, or ranges already read */
  constructor(ranges: readonly (string | Cidr)[]) {
    this.#ranges = ranges.map((range) => (typeof range === "string" ? parseCidr(range) : range));
  }

  get size(): number {
    return this.#ranges.length;
  }

  /** Whether an address is inside one of the ranges; IPv4-mapped IPv6 counts as IPv4, text that is no address as outside. */
  has(address: string | Address): boolean {
    return this.find(address) !== undefined;
  }

  /** The first range that holds the address. */
  find(address: string | Address): Cidr | undefined {
    const words = typeof address === "string" ? parseAddress(address) : address;
    if (!words) return undefined;
    const isIPv4 = isIPv4Address(words);
    return this.#ranges.find((range) => range.isIPv4 === isIPv4 && matches(words, range.network, range.bits));
  }
}

function prefixBits(text: string, prefixText: string | undefined, isDotted: boolean): number {
  const most = isDotted ? 32 : 128;
  if (prefixText === undefined) return 128;
  const length = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
  if (!(length <= most)) throw invalid(text, `needs a prefix length from 0 to ${most}`);
  return isDotted ? length + IPV4_OFFSET_BITS : length;
}

/** Whether the first `bits` of both addresses are equal. */
export function matches(words: Address, network: Address, bits: number): boolean {
  for (let index = 0; index * 16 < bits; index++) {
    const difference = (words[index] ?? 0) ^ (network[index] ?? 0);
    if ((difference & wordMask(bits, index)) !== 0) return false;
  }
  return true;
}

/** Bits of the word at `index` that lie inside the first `bits`. */
function wordMask(bits: number, index: number): number {
  const inside = Math.min(Math.max(bits - index * 16, 0), 16);
  return (0xffff << (16 - inside)) & 0xffff;
}

function invalid(text: string, problem: string): SvcError {
  return new SvcError("SVC_CONFIG", `"${text}" ${problem}; write ranges such as "10.0.0.0/8" or "fd00::/8"`);
}
