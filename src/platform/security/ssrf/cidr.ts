/**
 * Address ranges in CIDR notation (RFC 4632, RFC 4291 section 2.3) from the user's configuration: webhook exemptions and
 * trusted proxies. Parses and matches them.
 */
import { SvcError } from "../../shared/errors.ts";
import { isIPv4Address, parseAddress, type Address } from "./address.ts";

/** A range of addresses of one family. */
export interface Cidr {
  /** As configured. */
  readonly text: string;
  readonly network: Address;
  /** Leading bits that must match, counted on the 128-bit form: an IPv4 `/8` is 104. */
  readonly bits: number;
  readonly isIPv4: boolean;
}

/** IPv4 addresses follow 96 bits of the IPv4-mapped prefix. */
const IPV4_OFFSET_BITS = 96;

/**
 * Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
 * @throws SvcError `SVC_CONFIG` for invalid text, including bits set after the prefix: `10.1.0.0/8` is usually a typo.
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
    throw invalid(text, `has bits set after the first ${prefixText}`);
  return { text: text.trim(), network, bits, isIPv4: isIPv4Address(network) && bits >= IPV4_OFFSET_BITS };
}

/** A set of ranges. An IPv6 range never contains IPv4 addresses, not even `::/0`. */
export class CidrSet {
  readonly #ranges: readonly Cidr[];

  /** @param ranges texts for {@link parseCidr}, or parsed ranges */
  constructor(ranges: readonly (string | Cidr)[]) {
    this.#ranges = ranges.map((range) => (typeof range === "string" ? parseCidr(range) : range));
  }

  get size(): number {
    return this.#ranges.length;
  }

  /** Whether an address is in one of the ranges. IPv4-mapped IPv6 counts as IPv4; invalid text is in no range. */
  has(address: string | Address): boolean {
    return this.find(address) !== undefined;
  }

  /** The first range that contains the address. */
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

/** Bits of the word at `index` that are within the first `bits`. */
function wordMask(bits: number, index: number): number {
  const inside = Math.min(Math.max(bits - index * 16, 0), 16);
  return (0xffff << (16 - inside)) & 0xffff;
}

function invalid(text: string, problem: string): SvcError {
  return new SvcError("SVC_CONFIG", `"${text}" ${problem}; use ranges such as "10.0.0.0/8" or "fd00::/8"`);
}
