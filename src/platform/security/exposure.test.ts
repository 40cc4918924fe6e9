import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SiteRules } from "./site-rules.ts";
import { exposureOf, isFromOwnPage, modeOfStart, PROXY_HEADERS, seemsLocal } from "./exposure.ts";

/** Requests that reach an app on 127.0.0.1:3000 from a client at 203.0.113.9 for http://site.example/. */
interface Proxied {
  proxy: string;
  /** Default: as the client sent it. */
  host?: string;
  headers?: Partial<Record<(typeof PROXY_HEADERS)[number], string>>;
  /** Whether the request looks as if it came from a browser on this machine. */
  looksLocal: boolean;
}

/** Proxies, each with the minimal working settings of its documentation. */
const PROXIES: Proxied[] = [
  { proxy: "nginx: proxy_pass alone", host: "127.0.0.1:3000", looksLocal: true },
  { proxy: "nginx: proxy_set_header Host $host", looksLocal: false },
  {
    proxy: "nginx: with X-Real-IP alone",
    host: "127.0.0.1:3000",
    headers: { "x-real-ip": "203.0.113.9" },
    looksLocal: false,
  },
  {
    proxy: "nginx: with X-Forwarded-For",
    host: "127.0.0.1:3000",
    headers: { "x-forwarded-for": "203.0.113.9" },
    looksLocal: false,
  },
  { proxy: "haproxy: server alone", looksLocal: false },
  { proxy: "haproxy: server alone, and a client that lies about Host", host: "localhost", looksLocal: true },
  { proxy: "haproxy: option forwardfor", headers: { "x-forwarded-for": "203.0.113.9" }, looksLocal: false },
  { proxy: "haproxy: option forwarded", headers: { forwarded: "proto=http;for=203.0.113.9" }, looksLocal: false },
  {
    proxy: "Apache: ProxyPass",
    host: "127.0.0.1:3000",
    headers: {
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": "site.example",
      "x-forwarded-server": "site.example",
    },
    looksLocal: false,
  },
  {
    proxy: "Caddy: reverse_proxy",
    headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http", via: "1.1 Caddy" },
    looksLocal: false,
  },
  {
    proxy: "Traefik",
    headers: { "x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9", "x-forwarded-port": "80" },
    looksLocal: false,
  },
  { proxy: "Envoy", headers: { "x-forwarded-proto": "http" }, looksLocal: false },
  { proxy: "Varnish, Squid", headers: { via: "1.1 cache", "x-forwarded-for": "203.0.113.9" }, looksLocal: false },
  { proxy: "a load balancer of AWS", headers: { "x-amzn-trace-id": "Root=1-2-3" }, looksLocal: false },
  { proxy: "a tunnel of Cloudflare", headers: { "cf-connecting-ip": "203.0.113.9" }, looksLocal: false },
  { proxy: "ssh -R, socat, stunnel", looksLocal: false },
  { proxy: "ssh -R, socat, stunnel, and a client that lies about Host", host: "localhost:3000", looksLocal: true },
  { proxy: "no proxy", host: "127.0.0.1:3000", looksLocal: true },
  { proxy: "no proxy, by name", host: "localhost:3000", looksLocal: true },
  { proxy: "no proxy, by IPv6", host: "[::1]:3000", looksLocal: true },
];

function callerOf({ host = "site.example", headers = {} }: Partial<Proxied>, peer = "127.0.0.1") {
  const all: Record<string, string | undefined> = { host, ...headers };
  return { peer, header: (name: string) => all[name] };
}

describe("a request that seems to come from this machine", () => {
  for (const row of PROXIES)
    it(`${row.looksLocal ? "can't be distinguished from" : "differs from"} one through ${row.proxy}`, () =>
      assert.equal(seemsLocal(callerOf(row)), row.looksLocal));

  it("may come through a proxy, so locality must not give access for operators", () => {
    const hidden = PROXIES.filter(({ proxy, looksLocal }) => looksLocal && !proxy.startsWith("no proxy"));
    assert.ok(hidden.length > 0);
  });

  for (const name of PROXY_HEADERS)
    it(`has no ${name} header`, () =>
      assert.equal(seemsLocal(callerOf({ host: "localhost", headers: { [name]: "x" } })), false));

  it("comes from a loopback address in any spelling", () => {
    for (const peer of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
      assert.equal(seemsLocal(callerOf({ host: "localhost" }, peer)), true, peer);
    for (const peer of ["", "10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1.evil.example", "203.0.113.9"])
      assert.equal(seemsLocal(callerOf({ host: "localhost" }, peer)), false, peer);
  });
});

describe("a request of a page under development", () => {
  it("uses localhost or an address, never another name", () => {
    for (const host of ["localhost:3000", "app.localhost", "127.0.0.1:3000", "[::1]:3000", "192.168.1.5:3000"])
      assert.equal(isFromOwnPage(callerOf({ host })), true, host);
    for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""])
      assert.equal(isFromOwnPage(callerOf({ host })), false, host);
  });

  it("may come by a name of SVC_ALLOWED_HOSTS, with any port that the name has there", () => {
    const site = new SiteRules({ siteOrigin: undefined, allowedHosts: ["dev.example"], isProduction: false });
    for (const [host, isOwn] of [
      ["dev.example", true],
      ["localhost:3000", true],
      ["evil.example", false],
      ["dev.example.evil.example", false],
    ] as const)
      assert.equal(isFromOwnPage(callerOf({ host }), site), isOwn, host);
    const header = (name: string) => ({ host: "dev.example", "sec-fetch-site": "cross-site" })[name];
    assert.equal(isFromOwnPage({ header }, site), false);
  });

  it("does not come from another site", () => {
    for (const [site, isOwn] of [
      ["same-origin", true],
      ["none", true],
      ["same-site", false],
      ["cross-site", false],
    ] as const) {
      const header = (name: string) => ({ host: "localhost", "sec-fetch-site": site })[name];
      assert.equal(isFromOwnPage({ header }), isOwn, site);
    }
  });
});

describe("the mode of an app", () => {
  it("is production under svc start unless NODE_ENV is development", () => {
    for (const given of [undefined, "", " ", "test", "production"]) assert.equal(modeOfStart(given), "production");
    assert.equal(modeOfStart("development"), "development");
    assert.equal(modeOfStart("prod"), "prod", "the configuration rejects it");
  });

  it("hides internal details in production", () => {
    assert.deepEqual([...new Set(Object.values(exposureOf("production")))], [false]);
    assert.deepEqual([...new Set(Object.values(exposureOf("development")))], [true]);
  });
});
