import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ipaddr from "ipaddr.js";
import { refusedBy } from "./address-ranges.ts";
import { isLocalName, refusalError, SsrfPolicy } from "./ssrf.ts";

/** Seeded xorshift32: the same addresses in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const rule = (url: string, policy = new SsrfPolicy()): string => {
  const verdict = policy.checkUrl(url);
  return verdict.ok ? "ok" : verdict.rule;
};

describe("SsrfPolicy.checkUrl", () => {
  it("returns the rule of a refusal", () => {
    const cases: [string, string][] = [
      ["", "length"],
      [`https://hooks.example.com/${"a".repeat(2048)}`, "length"],
      ["https://hooks.example.com/a b", "characters"],
      ["https://hooks.example.com\\a", "characters"],
      ["/relative", "scheme"],
      ["//hooks.example.com/", "scheme"],
      ["ftp://hooks.example.com/", "scheme"],
      ["http:/hooks.example.com/", "scheme"],
      ["https://user:pass@hooks.example.com/", "credentials"],
      ["https://@hooks.example.com/", "credentials"],
      ["https://hooks.example.com:65536/", "host"],
      ["https://[::1/", "host"],
      ["https://hooks.example.com:6379/", "port"],
      ["http://hooks.example.com:0/", "port"],
      ["https://intranet/", "local-name"],
      ["https://hooks.internal./", "local-name"],
      ["http://127.1/", "loopback"],
      ["http://[::1]/", "not-global"],
      ["http://168.63.129.16/", "cloud-metadata"],
      ["http://[64:ff9b::a00:1]/", "private"],
      ["https://hooks.example.com/in", "ok"],
      ["http://[64:ff9b::808:808]/", "ok"],
    ];
    for (const [url, expected] of cases) assert.equal(rule(url), expected, url);
  });

  it("distinguishes invalid URLs from forbidden targets by the code", () => {
    const codes = ["nonsense", "http://10.0.0.1/"].map((url) => {
      const verdict = new SsrfPolicy().checkUrl(url);
      return verdict.ok ? "ok" : refusalError(verdict).code;
    });
    assert.deepEqual(codes, ["SVC_WEBHOOK_URL", "SVC_SSRF"]);
  });

  it("drops the fragment, which is never sent to a server", () => {
    const verdict = new SsrfPolicy().checkUrl("https://hooks.example.com/in#x");
    assert.equal(verdict.ok && verdict.url.href, "https://hooks.example.com/in");
  });
});

describe("an exemption", () => {
  it("allows exactly the configured ranges", () => {
    const policy = new SsrfPolicy({ allowCidrs: ["127.0.0.0/8", "fd00::/8"] });
    assert.equal(rule("http://127.0.0.1:8080/", policy), "ok");
    assert.equal(rule("http://[fd12::1]/", policy), "ok");
    assert.equal(rule("http://10.0.0.1/", policy), "private");
    assert.equal(rule("http://[::1]/", policy), "not-global");
    assert.equal(rule("http://127.0.0.1:22/", policy), "port");
  });

  it("lets local names resolve to exempt addresses only", () => {
    const policy = new SsrfPolicy({ allowCidrs: ["10.0.0.0/8"] });
    assert.equal(rule("http://hooks.default.svc.cluster.local/", policy), "ok");
    assert.equal(policy.checkAddress("10.1.2.3", "hooks.internal").ok, true);
    assert.equal(policy.checkAddress("8.8.8.8", "hooks.internal").ok, false);
    assert.equal(policy.checkAddress("8.8.8.8", "hooks.example.com").ok, true);
    assert.equal(policy.checkAddress("169.254.169.254", "hooks.internal").ok, false);
  });

  it("applies to one exact URL: not to another path, query, port, scheme or host spelling", () => {
    const policy = new SsrfPolicy({ exemptUrl: () => "http://127.0.0.1:3000/_svc/demo/webhook-inbox" });
    const exempt = policy.checkUrl("http://127.0.0.1:3000/_svc/demo/webhook-inbox");
    assert.equal(exempt.ok && exempt.isExempt, true);
    for (const url of [
      "http://127.0.0.1:3000/_svc/demo/webhook-inbox/",
      "http://127.0.0.1:3000/_svc/demo/webhook-inbox?x=1",
      "http://127.0.0.1:3000/_svc/webhooks",
      "http://127.0.0.1:3001/_svc/demo/webhook-inbox",
      "https://127.0.0.1:3000/_svc/demo/webhook-inbox",
      "http://localhost:3000/_svc/demo/webhook-inbox",
      "http://x@127.0.0.1:3000/_svc/demo/webhook-inbox",
    ])
      assert.equal(policy.checkUrl(url).ok, false, url);
  });

  it("does not apply while the exempt URL is unknown or malformed", () => {
    for (const exemptUrl of [() => undefined, () => "", () => "127.0.0.1"])
      assert.equal(new SsrfPolicy({ exemptUrl }).checkUrl("http://127.0.0.1/").ok, false);
  });
});

describe("the suggestion in a refusal", () => {
  const policy = new SsrfPolicy({ allowedBy: "ALLOW" });
  const detail = (verdict: { ok: boolean; detail?: string }): string => verdict.detail ?? "allowed";

  it("names the setting that allows an address, with the given address", () => {
    assert.equal(
      detail(policy.checkUrl("http://127.0.0.1:3000/hook")),
      "the address is refused; use one on the public internet, or allow it with ALLOW, such as 127.0.0.1/32",
    );
    assert.match(detail(policy.checkUrl("http://[::1]/")), /, or allow it with ALLOW, such as ::1\/128$/);
    assert.match(detail(policy.checkUrl("http://localhost/")), /, or allow the range of its addresses with ALLOW$/);
  });

  it("never names an address that a name resolved to", () => {
    const reported = detail(policy.checkAddress("10.1.2.3", "shop.example"));
    assert.match(reported, /, or allow the range of its addresses with ALLOW$/);
    assert.doesNotMatch(reported, /10\.1/);
  });

  it("is derived from the address, and omitted if nothing can allow it", () => {
    assert.equal(new SsrfPolicy({ allowCidrs: ["127.0.0.1/32"] }).checkUrl("http://127.0.0.1:3000/").ok, true);
    assert.equal(new SsrfPolicy({ allowCidrs: ["::1/128"] }).checkUrl("http://[::1]/").ok, true);
    assert.doesNotMatch(detail(policy.checkUrl("http://127.0.0.1:25/")), /ALLOW/);
    assert.doesNotMatch(detail(new SsrfPolicy().checkUrl("http://127.0.0.1/")), /allow/);
  });
});

describe("isLocalName", () => {
  it("classifies names by label", () => {
    for (const name of [
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "db",
      "x.local",
      "home.arpa",
      "x.lan.",
      "api.shop.svc",
      "db.service.consul",
      "a.svc.cluster.local",
    ])
      assert.equal(isLocalName(name), true, name);
    for (const name of ["localhost.example.com", "notlocal.example", "10.example.com", "8.8.8.8", "[2606:4700::1]"])
      assert.equal(isLocalName(name), false, name);
  });
});

describe("the address table compared with ipaddr.js", () => {
  const isUnicast = (address: string): boolean => ipaddr.process(address).range() === "unicast";

  it("agrees on IPv4, except for the cloud metadata address", () => {
    const below = generator(2463534242);
    const first = [10, 100, 127, 169, 172, 192, 198, 203, 0, 168, 224, 240];
    const second = [0, 16, 31, 32, 63, 64, 88, 127, 128, 168, 254, 51, 18, 19, 2, 52, 31, 175];
    const third = [0, 2, 99, 100, 113, 129, 193, 196, 48];
    for (let round = 0; round < 150_000; round++) {
      const isNearEdge = round % 2 === 0;
      const octets = isNearEdge
        ? [first[below(12)], second[below(18)], third[below(9)], below(256)]
        : [below(256), below(256), below(256), below(256)];
      const address = octets.join(".");
      const refused = refusedBy(address);
      if (refused !== "cloud-metadata") assert.equal(refused === undefined, isUnicast(address), address);
    }
    assert.equal(refusedBy("168.63.129.16"), "cloud-metadata");
    assert.equal(isUnicast("168.63.129.16"), true);
  });

  it("differs on IPv6 only by named rules: outside 2000::/3, NAT64, ISATAP", () => {
    const below = generator(88675123);
    const prefixes = (
      "0 64:ff9b 100 200 2000 2001:0 2001:2 2001:20 2001:db8 2001:4860 2002 2003 2400 2600 2620:4f:8000 3fff 3fff:1000 " +
      "3ffe 4000 5f00 fc00 fd00 fe80 fec0 ff02 0:0:0:0:0:ffff 64:ff9b:0:0:0:0 2001:4860:0:0:0:5efe 1 8000"
    ).split(" ");
    const differences = new Map<string, number>();
    for (let round = 0; round < 150_000; round++) {
      const words = (prefixes[below(prefixes.length)] as string).split(":");
      while (words.length < 8) words.push(below(3) ? below(65_536).toString(16) : "0");
      const address = words.join(":");
      const refused = refusedBy(address);
      assert.equal(refused, refusedBy(new URL(`http://[${address}]/`).hostname), `two spellings of ${address}`);
      if ((refused === undefined) === isUnicast(address)) continue;
      const isNat64 = refused === undefined && ipaddr.parse(address).range() === "rfc6052";
      const key = isNat64 ? "nat64 of a public address" : (refused ?? `allowed ${address}`);
      differences.set(key, (differences.get(key) ?? 0) + 1);
    }
    assert.deepEqual([...differences.keys()].sort(), ["isatap", "nat64 of a public address", "not-global"]);
  });
});
