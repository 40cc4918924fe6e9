import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createCsrfCookie, csrfToken, isCsrfCookie, judgeOrigin, judgeToken } from "./csrf.ts";
import { sign } from "./secrets.ts";

const SECRET = "the site's secret";

describe("CSRF cookie", () => {
  it("is recognised as ours, and differs from session to session", () => {
    const cookie = createCsrfCookie(SECRET);
    assert.match(cookie, /^[0-9a-f]{32}\.[\w-]{43}$/);
    assert.equal(isCsrfCookie(SECRET, cookie), true);
    assert.notEqual(createCsrfCookie(SECRET), cookie);
  });

  it("is not ours when made with another secret, so that a rotated secret starts new sessions", () => {
    assert.equal(isCsrfCookie("the next secret", createCsrfCookie(SECRET)), false);
  });

  it("is not ours when absent, cut, lengthened or signed for another id", () => {
    const cookie = createCsrfCookie(SECRET);
    const [id = "", signature = ""] = cookie.split(".");
    const otherId = "0".repeat(32);
    const forged = [undefined, "", ".", id, `${id}.`, `.${signature}`, cookie.slice(0, -1), `${cookie}.`, `${cookie}x`];
    for (const raw of [...forged, `${otherId}.${signature}`, cookie.toUpperCase(), ` ${cookie}`]) {
      assert.equal(isCsrfCookie(SECRET, raw), false, String(raw));
    }
  });

  it("is not ours when its id is signed but is not an id", () => {
    assert.equal(isCsrfCookie(SECRET, `me.${sign(SECRET, "csrf-cookie", "me")}`), false);
  });
});

describe("CSRF token", () => {
  const cookie = createCsrfCookie(SECRET);

  it("is right for its own session", () => {
    assert.equal(judgeToken(SECRET, cookie, csrfToken(SECRET, cookie)), undefined);
  });

  it("is another one each time, and each is right; so is one of before there was salt", () => {
    const tokens = Array.from({ length: 20 }, () => csrfToken(SECRET, cookie));
    assert.equal(new Set(tokens).size, 20);
    // What follows the salt is another signature too, so nothing of a token stands in two pages.
    assert.equal(new Set(tokens.map((token) => token.slice(-43))).size, 20);
    for (const token of [...tokens, sign(SECRET, "csrf-token", cookie)])
      assert.equal(judgeToken(SECRET, cookie, token), undefined);
  });

  it("with another's salt is wrong", () => {
    const [one, other] = [csrfToken(SECRET, cookie), csrfToken(SECRET, cookie)];
    for (const raw of [one.slice(0, 8) + other.slice(8), one.slice(8), `x${one}`, `${one}x`, one.slice(1)])
      assert.equal(judgeToken(SECRET, cookie, raw), "wrong-token");
  });

  it("of another session is wrong", () => {
    const other = createCsrfCookie(SECRET);
    assert.equal(judgeToken(SECRET, cookie, csrfToken(SECRET, other)), "wrong-token");
  });

  it("of a rotated secret is wrong, with the old cookie and with a new one", () => {
    const token = csrfToken(SECRET, cookie);
    assert.equal(judgeToken("next", cookie, token), "no-cookie");
    assert.equal(judgeToken("next", createCsrfCookie("next"), token), "wrong-token");
  });

  it("is not the cookie, its parts, or a signature for another purpose", () => {
    const [id = "", signature = ""] = cookie.split(".");
    for (const raw of [cookie, id, signature, sign(SECRET, "graph-token", cookie), sign(SECRET, "csrf-token", id)])
      assert.equal(judgeToken(SECRET, cookie, raw), "wrong-token");
  });

  it("does not count without a cookie of ours, even when it fits the cookie that was sent", () => {
    const planted = "0".repeat(32) + ".planted";
    assert.equal(judgeToken(SECRET, undefined, csrfToken(SECRET, cookie)), "no-cookie");
    assert.equal(judgeToken(SECRET, planted, csrfToken(SECRET, planted)), "no-cookie");
  });

  it("missing is told apart from wrong", () => {
    assert.equal(judgeToken(SECRET, cookie, undefined), "no-token");
    assert.equal(judgeToken(SECRET, cookie, ""), "no-token");
  });

  it("is refused, never an exception, whatever is sent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (rawCookie, rawToken) => {
        assert.equal(judgeToken(SECRET, rawCookie, rawToken), "no-cookie");
        assert.notEqual(judgeToken(SECRET, cookie, rawToken), undefined);
      }),
    );
  });
});

describe("origin of a mutation", () => {
  const ownOrigin = "https://shop.example";
  const judge = (fetchSite?: string, origin?: string) => judgeOrigin({ fetchSite, origin, ownOrigin });

  it("is accepted from the site itself, and from callers that are no browser", () => {
    assert.equal(judge("same-origin", ownOrigin), undefined);
    assert.equal(judge("none"), undefined);
    assert.equal(judge(undefined, ownOrigin), undefined);
    assert.equal(judge(), undefined);
  });

  it("is refused from other sites, from sibling subdomains, and for a value not known", () => {
    for (const site of ["cross-site", "same-site", "", "Same-Origin", "same-origin, cross-site"])
      assert.equal(judge(site, ownOrigin), "cross-site", site);
  });

  it("is refused for any other origin: scheme, port, subdomain, opaque, look-alike", () => {
    const foreign = ["http://shop.example", "https://shop.example:8443", "https://a.shop.example", "null", ""];
    for (const origin of [...foreign, "https://shop.example.evil.test", "https://shop.example/"])
      assert.equal(judge("same-origin", origin), "foreign-origin", origin);
  });
});
