/**
 * Compares svc's address table with that of ipaddr.js, an independent implementation. A named rule must explain each
 * difference. Addresses are random, mostly near the edges of ranges, where tables are often wrong, in several spellings.
 *
 *   ADDRESSES=1000000 ADDRESSES_SEED=7 node --test out/platform/security/address-differential.test.js
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import ipaddr from "ipaddr.js";
import { parseAddress } from "./ssrf/address.ts";
import { refusedBy } from "./ssrf/address-ranges.ts";

const COUNT = Number(process.env["ADDRESSES"] ?? 20_000);
const seed = Number(process.env["ADDRESSES_SEED"] ?? Date.now() % 1_000_000);

/** Mulberry32. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** First words of ranges that a table may contain, and their lengths in bits. */
const IPV4_BORDERS = ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32"]; // prettier-ignore
const IPV6_BORDERS = ["::/128", "::1/128", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2000::/3", "2001::/32", "2001::/23", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"]; // prettier-ignore

/** Reasons for results that differ from ipaddr.js. */
const RULES: readonly [name: string, holds: (text: string, words: readonly number[]) => boolean][] = [
  ["Azure's host agent is public space, yet only ever the local host", (text) => refusedBy(text) === "cloud-metadata"],
  ["IPv6 is an allow-list of 2000::/3: unassigned space is refused", (text) => refusedBy(text) === "not-global"],
  ["NAT64 is judged by the IPv4 address inside", (_, words) => isNat64(words)],
  [
    "an IPv4-mapped address is judged by the IPv4 address inside",
    (_, words) => words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff,
  ],
];

function isNat64(words: readonly number[]): boolean {
  return words[0] === 0x64 && words[1] === 0xff9b && words.slice(2, 6).every((word) => word === 0);
}

type Bytes = number[];

/** An address in a range, just outside of one, or anywhere. */
function addressNear(range: string | undefined, size: number, random: () => number): Bytes {
  const bytes = Array.from({ length: size }, () => Math.floor(random() * 256));
  if (range === undefined) return bytes;
  const [address, bits] = ipaddr.parseCIDR(range);
  const network = address.toByteArray();
  const mixed = bytes.map((byte, at) => {
    const fixed = Math.max(0, Math.min(8, bits - at * 8));
    const mask = (0xff << (8 - fixed)) & 0xff;
    return ((network[at] ?? 0) & mask) | (byte & ~mask & 0xff);
  });
  const where = random();
  if (where < 0.15) return network;
  if (where > 0.4) return mixed;
  // Flips the last bit of the prefix, for the neighboring range.
  const last = bits - 1;
  mixed[last >> 3] = (mixed[last >> 3] ?? 0) ^ (0x80 >> (last & 7));
  return mixed;
}

/** Spellings of an address that people and parsers use. */
function spellings(bytes: Bytes): string[] {
  const address = ipaddr.fromByteArray(bytes);
  if (!(address instanceof ipaddr.IPv6)) return [address.toString()];
  const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(12);
  const dotted = `${address.toNormalizedString().split(":").slice(0, 6).join(":")}:${a}.${b}.${c}.${d}`;
  return [address.toString(), address.toNormalizedString(), fullOf(address.parts), dotted];
}

function fullOf(words: readonly number[]): string {
  return words.map((word) => word.toString(16).toUpperCase().padStart(4, "0")).join(":");
}

it(`svc and ipaddr.js agree on ${COUNT} addresses, except for named rules (ADDRESSES_SEED=${seed})`, (test) => {
  const random = randomOf(seed);
  const explained = new Map<string, number>();
  for (let at = 0; at < COUNT; at++) {
    const isIPv4 = at % 2 === 0;
    const borders = isIPv4 ? IPV4_BORDERS : IPV6_BORDERS;
    const range = random() < 0.7 ? borders[Math.floor(random() * borders.length)] : undefined;
    const bytes = addressNear(range, isIPv4 ? 4 : 16, random);
    const [text = "", ...others] = spellings(bytes);
    const mine = refusedBy(text);
    for (const other of others) assert.equal(refusedBy(other), mine, `${text} and ${other} are one address`);
    const isTheirsPublic = ipaddr.fromByteArray(bytes).range() === "unicast";
    if ((mine === undefined) === isTheirsPublic) continue;
    const rule = RULES.find(([, holds]) => holds(text, parseAddress(text) ?? []));
    assert.ok(
      rule,
      `${text}: ours ${mine ?? "public"}, ipaddr.js ${ipaddr.fromByteArray(bytes).range()}, and no rule says why`,
    );
    explained.set(rule[0], (explained.get(rule[0]) ?? 0) + 1);
  }
  test.diagnostic([...explained].map(([name, count]) => `${count}: ${name}`).join("; "));
});
