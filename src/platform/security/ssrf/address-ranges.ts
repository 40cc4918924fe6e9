/**
 * Decides which addresses are public unicast, and names the rule that refuses others.
 *
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and later additions), IANA IPv6
 * global unicast assignments. IPv4 has a list of refused ranges. IPv6 has an allow-list (2000::/3) with exceptions, because most
 * of the IPv6 space is unassigned, and a new special prefix there must not require a release of svc.
 */
import { isIPv4Address, parseAddress, type Address } from "./address.ts";
import { matches, parseCidr, type Cidr } from "./cidr.ts";

/** Names of the address rules, as refusals contain them. */
export type AddressRule =
  | "this-network"
  | "private"
  | "shared"
  | "loopback"
  | "link-local"
  | "cloud-metadata"
  | "protocol-assignment"
  | "documentation"
  | "as112"
  | "relay"
  | "benchmark"
  | "multicast-or-reserved"
  | "not-global"
  | "isatap"
  | "not-an-address";

const REFUSED_IPV4: readonly [AddressRule, string][] = [
  ["this-network", "0.0.0.0/8"], // RFC 791; Linux connects 0.0.0.0 to loopback
  ["private", "10.0.0.0/8"], // RFC 1918
  ["shared", "100.64.0.0/10"], // RFC 6598, carrier NAT
  ["loopback", "127.0.0.0/8"], // RFC 1122
  ["cloud-metadata", "168.63.129.16/32"], // Azure's host agent: public space, yet only ever the local host
  ["link-local", "169.254.0.0/16"], // RFC 3927; metadata services of most clouds
  ["private", "172.16.0.0/12"], // RFC 1918
  ["protocol-assignment", "192.0.0.0/24"], // RFC 6890; contains Oracle's metadata service
  ["documentation", "192.0.2.0/24"], // RFC 5737
  ["as112", "192.31.196.0/24"], // RFC 7535
  ["relay", "192.52.193.0/24"], // RFC 7450, AMT
  ["relay", "192.88.99.0/24"], // RFC 7526, 6to4 anycast
  ["private", "192.168.0.0/16"], // RFC 1918
  ["as112", "192.175.48.0/24"], // RFC 7534
  ["benchmark", "198.18.0.0/15"], // RFC 2544
  ["documentation", "198.51.100.0/24"], // RFC 5737
  ["documentation", "203.0.113.0/24"], // RFC 5737
  ["multicast-or-reserved", "224.0.0.0/3"], // RFC 5771, RFC 1112, limited broadcast
];

const REFUSED_IPV6: readonly [AddressRule, string][] = [
  ["protocol-assignment", "2001::/23"], // RFC 2928: Teredo, benchmarking, ORCHID
  ["documentation", "2001:db8::/32"], // RFC 3849
  ["relay", "2002::/16"], // RFC 3056, 6to4: it can embed any IPv4 address
  ["as112", "2620:4f:8000::/48"], // RFC 7534
  ["documentation", "3fff::/20"], // RFC 9637
];

interface Refusal {
  readonly rule: AddressRule;
  readonly range: Cidr;
}

interface Ranges {
  readonly ipv4: readonly Refusal[];
  readonly ipv6: readonly Refusal[];
  readonly globalUnicast: Cidr;
  /** RFC 6052: DNS64 addresses of hosts that only have IPv4; the embedded IPv4 address decides. */
  readonly nat64: Cidr;
}

let known: Ranges | undefined;

/** Parsed for the first checked address: most processes check none, and parsing takes 6 ms of their start. */
function ranges(): Ranges {
  const refusals = (table: readonly [AddressRule, string][]): Refusal[] =>
    table.map(([rule, text]) => ({ rule, range: parseCidr(text) }));
  return (known ??= {
    ipv4: refusals(REFUSED_IPV4),
    ipv6: refusals(REFUSED_IPV6),
    globalUnicast: parseCidr("2000::/3"),
    nat64: parseCidr("64:ff9b::/96"),
  });
}

/**
 * The rule that refuses an address, or undefined if it is public unicast.
 * @param address text or words; invalid text is refused as `not-an-address`
 */
export function refusedBy(address: string | Address): AddressRule | undefined {
  const words = typeof address === "string" ? parseAddress(address) : address;
  if (!words) return "not-an-address";
  const { ipv4, ipv6, globalUnicast, nat64 } = ranges();
  if (isIPv4Address(words)) return firstMatch(ipv4, words);
  if (contains(nat64, words)) return refusedBy(embeddedIPv4(words));
  if (!contains(globalUnicast, words)) return "not-global";
  return firstMatch(ipv6, words) ?? refusedIsatap(words);
}

/** ISATAP (RFC 5214) interface ids tunnel to the IPv4 address in their last 32 bits. */
function refusedIsatap(words: Address): AddressRule | undefined {
  const [, , , , flags = 0, marker] = words;
  const isIsatap = (flags & 0xfdff) === 0 && marker === 0x5efe;
  return isIsatap && refusedBy(embeddedIPv4(words)) ? "isatap" : undefined;
}

function embeddedIPv4(words: Address): Address {
  return [0, 0, 0, 0, 0, 0xffff, words[6] ?? 0, words[7] ?? 0];
}

function firstMatch(table: readonly Refusal[], words: Address): AddressRule | undefined {
  return table.find(({ range }) => contains(range, words))?.rule;
}

function contains(range: Cidr, words: Address): boolean {
  return matches(words, range.network, range.bits);
}
