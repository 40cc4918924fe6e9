import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SiteRules, type SiteRulesOptions } from "./site-rules.ts";

const LOOPBACK = ["localhost", "localhost:3000", "app.localhost:3000", "127.0.0.1:3000", "[::1]:3000"];
/** Names and addresses that an attacker may send, or point at this machine. */
const FOREIGN = [
  "evil.example",
  "shop.example.evil.example",
  "evilshop.example",
  "shop.example:8080",
  "shop.example.",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127.0.0.1.",
  "0.0.0.0:3000",
  "192.168.1.5:3000",
  "203.0.113.9",
  "[::ffff:7f00:1]:3000",
  "[2001:db8::1]",
  "localhostevil",
];

function rules(options: Partial<SiteRulesOptions>): SiteRules {
  return new SiteRules({ siteOrigin: undefined, allowedHosts: [], isProduction: true, ...options });
}

function requireVerdicts(site: SiteRules, hosts: readonly string[], isAllowed: boolean): void {
  for (const host of hosts) assert.equal(site.allows(host), isAllowed, host);
}

describe("the hosts of an app", () => {
  it("are loopback names in development, with any port", () => {
    const site = rules({ isProduction: false });
    requireVerdicts(site, LOOPBACK, true);
    requireVerdicts(site, FOREIGN, false);
  });

  it("are loopback names in production without settings", () => {
    requireVerdicts(rules({}), LOOPBACK, true);
    requireVerdicts(rules({}), FOREIGN, false);
  });

  it("are the one of SVC_SITE_URL in production, with and without its port", () => {
    const site = rules({ siteOrigin: "https://shop.example" });
    requireVerdicts(site, ["shop.example", "SHOP.example", "shop.example:443", "shop.example:80"], true);
    requireVerdicts(site, [...FOREIGN, ...LOOPBACK], false);
    requireVerdicts(rules({ siteOrigin: "https://shop.example:8080" }), ["shop.example:8080", "shop.example"], true);
  });

  it("include those of SVC_ALLOWED_HOSTS; a wildcard stands for names below", () => {
    const site = rules({ siteOrigin: "https://shop.example", allowedHosts: ["*.shops.example", "inner:8080"] });
    requireVerdicts(site, ["shop.example", "a.shops.example", "a.b.shops.example", "inner:8080"], true);
    requireVerdicts(site, [...FOREIGN, "shops.example", ".shops.example", "inner", "a.shops.example:8080"], false);
  });

  it("include the address on which the app listens", () => {
    const site = rules({ siteOrigin: "https://shop.example" });
    assert.equal(site.allows("127.0.0.1:3000"), false);
    site.listensAt("http://127.0.0.1:3000");
    requireVerdicts(site, ["127.0.0.1:3000", "localhost:3000", "[::1]:3000"], true);
    requireVerdicts(site, [...FOREIGN, "localhost", "127.0.0.1:3001", "app.localhost:3000"], false);
    const exposed = rules({ isProduction: false });
    exposed.listensAt("http://192.168.1.5:3000");
    assert.equal(exposed.allows("192.168.1.5:3000"), true);
  });

  it("do not matter for health and monitoring in production, and do on every path in development", () => {
    for (const path of ["/health", "/ready", "/_svc/metrics", "/_svc/status"]) {
      assert.equal(rules({}).ignoresHostAt(path), true);
      assert.equal(rules({ isProduction: false }).ignoresHostAt(path), false);
    }
    assert.equal(rules({}).ignoresHostAt("/"), false);
  });
});

describe("HTTPS", () => {
  it("is implied by an https origin, in development not for loopback names", () => {
    const [siteOrigin, hosts] = ["https://shop.example", ["shop.example", "127.0.0.1:3000", undefined]];
    assert.deepEqual(
      hosts.map((host) => rules({ siteOrigin }).impliesHttps(host)),
      [true, true, true],
    );
    const inDevelopment = rules({ siteOrigin, isProduction: false });
    assert.deepEqual(
      hosts.map((host) => inDevelopment.impliesHttps(host)),
      [true, false, true],
    );
    assert.deepEqual(
      hosts.map((host) => rules({ siteOrigin: "http://shop.example" }).impliesHttps(host)),
      [false, false, false],
    );
  });

  it("is implied for URLs except those of this machine", () => {
    const site = rules({ siteOrigin: "https://shop.example" });
    assert.equal(site.impliesHttpsUrl("shop.example"), true);
    assert.equal(site.impliesHttpsUrl("127.0.0.1:3000"), false);
  });
});
