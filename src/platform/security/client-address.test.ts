import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CidrSet } from "./ssrf/cidr.ts";
import { clientAddress, isSecure, requestHost } from "./client-address.ts";

const NOBODY = new CidrSet([]);
const PROXIES = new CidrSet(["10.0.0.0/8", "fd00::/8"]);

describe("the client address", () => {
  it("is the socket's address without trusted proxies, whatever the header says", () => {
    assert.equal(clientAddress("203.0.113.9", "1.1.1.1", NOBODY), "203.0.113.9");
  });

  it("is the socket's address if the peer is not a trusted proxy", () => {
    assert.equal(clientAddress("203.0.113.9", "1.1.1.1", PROXIES), "203.0.113.9");
  });

  it("is the address that a trusted proxy saw", () => {
    assert.equal(clientAddress("10.0.0.1", "203.0.113.9", PROXIES), "203.0.113.9");
    assert.equal(clientAddress("fd00::1", "2001:db8::9", PROXIES), "2001:db8::9");
  });

  it("is the right-most hop that is not a trusted proxy, because the client can forge hops to the left", () => {
    assert.equal(clientAddress("10.0.0.1", "1.1.1.1, 203.0.113.9", PROXIES), "203.0.113.9");
    assert.equal(clientAddress("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.7,fd00::2", PROXIES), "203.0.113.9");
    assert.equal(clientAddress("10.0.0.1", "10.9.9.9, 203.0.113.9", PROXIES), "203.0.113.9");
  });

  it("is the left-most proxy if the request began inside of the network", () => {
    assert.equal(clientAddress("10.0.0.1", "10.0.0.3, 10.0.0.2", PROXIES), "10.0.0.3");
  });

  it("is read without port, brackets and the mapping of a dual-stack socket", () => {
    assert.equal(clientAddress("::ffff:203.0.113.9", undefined, NOBODY), "203.0.113.9");
    assert.equal(clientAddress("::ffff:10.0.0.1", "::FFFF:203.0.113.9", PROXIES), "203.0.113.9");
    assert.equal(clientAddress("10.0.0.1", "203.0.113.9:4711", PROXIES), "203.0.113.9");
    assert.equal(clientAddress("10.0.0.1", "[2001:db8::9]:4711", PROXIES), "2001:db8::9");
  });

  it("is the last known hop if the header contains no address", () => {
    for (const header of ["unknown", "", ",", "203.0.113.9,", "203.0.113.9, _hidden", "<script>"])
      assert.equal(clientAddress("10.0.0.1", header, PROXIES), "10.0.0.1", header);
    assert.equal(clientAddress("10.0.0.1", "x, 10.0.0.5", PROXIES), "10.0.0.5");
  });

  it("is always a valid address, and can't be forged past the entry of a trusted proxy", () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (spoofed, real) => {
        fc.pre(!PROXIES.has(real));
        assert.equal(clientAddress("10.0.0.1", `${spoofed}, ${real}`, PROXIES), real);
        assert.notEqual(isIP(clientAddress("10.0.0.1", spoofed, PROXIES)), 0);
      }),
    );
  });
});

describe("a request", () => {
  it("is secure over a TLS socket, or if a trusted proxy says so", () => {
    assert.equal(isSecure(true, "203.0.113.9", undefined, NOBODY), true);
    assert.equal(isSecure(false, "10.0.0.1", "https", PROXIES), true);
    assert.equal(isSecure(false, "::ffff:10.0.0.1", "HTTPS", PROXIES), true);
  });

  it("is not secure because of another peer's or an earlier proxy's header", () => {
    assert.equal(isSecure(false, "203.0.113.9", "https", PROXIES), false);
    assert.equal(isSecure(false, "10.0.0.1", "https", NOBODY), false);
    assert.equal(isSecure(false, "10.0.0.1", undefined, PROXIES), false);
    assert.equal(isSecure(false, "10.0.0.1", "https, http", PROXIES), false);
  });
});

describe("the host of a request", () => {
  it("is the Host header, or a trusted proxy's forwarded host", () => {
    assert.equal(requestHost("inner:3000", "10.0.0.1", "shop.example", PROXIES), "shop.example");
    assert.equal(requestHost("inner:3000", "10.0.0.1", "evil.test, shop.example", PROXIES), "shop.example");
    assert.equal(requestHost("shop.example", "10.0.0.1", undefined, PROXIES), "shop.example");
    assert.equal(requestHost("shop.example", "10.0.0.1", "", PROXIES), "shop.example");
  });

  it("is never an untrusted peer's forwarded host", () => {
    assert.equal(requestHost("shop.example", "203.0.113.9", "evil.test", PROXIES), "shop.example");
    assert.equal(requestHost("shop.example", "10.0.0.1", "evil.test", NOBODY), "shop.example");
  });
});
