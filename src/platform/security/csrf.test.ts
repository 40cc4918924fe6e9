import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createCsrfCookie, createCsrfId, csrfId, csrfToken, judgeOrigin, judgeToken } from "./csrf.ts";
import { sign, type Secrets } from "./secrets.ts";

const SECRET: Secrets = ["the site's secret"];

const NEXT: Secrets = ["the next secret"];

/** The cookie of a visitor without one. */
const newCookie = (): string => createCsrfCookie(SECRET, createCsrfId());

const idOf = (cookie: string): string => cookie.slice(0, 32);

describe("a CSRF cookie", () => {
  it("is recognized as svc's, and differs between browsers", () => {
    const cookie = newCookie();
    assert.match(cookie, /^[0-9a-f]{32}\.[\w-]{43}$/);
    assert.equal(csrfId(SECRET, cookie), idOf(cookie));
    assert.notEqual(newCookie(), cookie);
  });

  it("is invalid if it was made with another secret", () => {
    assert.equal(csrfId(NEXT, newCookie()), undefined);
  });

  it("made with a previous secret is valid, and keeps its id when signed again", () => {
    const rotated: Secrets = [...NEXT, ...SECRET];
    const cookie = newCookie();
    const renewed = createCsrfCookie(rotated, csrfId(rotated, cookie) ?? "");
    assert.notEqual(renewed, cookie);
    assert.equal(csrfId(NEXT, renewed), idOf(cookie));
  });

  it("is invalid if it is missing, cut, lengthened or signed for another id", () => {
    const cookie = newCookie();
    const [id = "", signature = ""] = cookie.split(".");
    const otherId = "0".repeat(32);
    const forged = [undefined, "", ".", id, `${id}.`, `.${signature}`, cookie.slice(0, -1), `${cookie}.`, `${cookie}x`];
    for (const raw of [...forged, `${otherId}.${signature}`, cookie.toUpperCase(), ` ${cookie}`]) {
      assert.equal(csrfId(SECRET, raw), undefined, String(raw));
    }
  });

  it("is invalid if its signed id has another format", () => {
    assert.equal(csrfId(SECRET, `me.${sign(SECRET, "csrf-cookie", "me")}`), undefined);
  });
});

describe("a CSRF token", () => {
  const cookie = newCookie();
  const id = idOf(cookie);
  const token = csrfToken(SECRET, id, undefined);
  const judge = (rawToken: string | undefined, facts: { rawCookie?: string | undefined; sessionId?: string } = {}) =>
    judgeToken(SECRET, { rawCookie: cookie, sessionId: undefined, rawToken, ...facts });

  it("is valid for its own cookie", () => {
    assert.equal(judge(token), undefined);
  });

  it("differs each time, and each one is valid", () => {
    const tokens = Array.from({ length: 20 }, () => csrfToken(SECRET, id, undefined));
    assert.equal(new Set(tokens).size, 20);
    // The part after the salt is another signature too, so pages share no part of a token.
    assert.equal(new Set(tokens.map((text) => text.slice(-43))).size, 20);
    for (const text of tokens) assert.equal(judge(text), undefined);
  });

  it("with the salt of another token, or with a salt cut from another text, is invalid", () => {
    const [one, other] = [csrfToken(SECRET, id, undefined), csrfToken(SECRET, id, undefined)];
    for (const raw of [one.slice(0, 8) + other.slice(8), one.slice(8), `x${one}`, `${one}x`, one.slice(1)])
      assert.equal(judge(raw), "wrong-token");
    const inSession = csrfToken(SECRET, id, "a".repeat(32));
    assert.equal(
      judge(`${inSession.slice(0, 8)}${id}.${inSession.slice(8)}`, { sessionId: "a".repeat(32) }),
      "wrong-token",
    );
  });

  it("of another cookie is invalid", () => {
    assert.equal(judge(csrfToken(SECRET, idOf(newCookie()), undefined)), "wrong-token");
  });

  it("is bound to its session: invalid before it, after it, and in any other", () => {
    const inSession = csrfToken(SECRET, id, "a".repeat(32));
    assert.equal(judge(inSession, { sessionId: "a".repeat(32) }), undefined);
    assert.equal(judge(inSession), "wrong-token");
    assert.equal(judge(inSession, { sessionId: "b".repeat(32) }), "wrong-token");
    assert.equal(judge(token, { sessionId: "a".repeat(32) }), "wrong-token");
  });

  it("stays valid while the secret that signed it is a previous one", () => {
    const facts = { rawCookie: cookie, sessionId: undefined, rawToken: token };
    const rotated: Secrets = [...NEXT, ...SECRET];
    assert.equal(judgeToken(rotated, facts), undefined);
    assert.equal(judgeToken(rotated, { ...facts, rawCookie: createCsrfCookie(rotated, id) }), undefined);
    assert.equal(judgeToken(NEXT, facts), "no-cookie");
    assert.equal(judgeToken(NEXT, { ...facts, rawCookie: createCsrfCookie(NEXT, id) }), "wrong-token");
  });

  it("is not the cookie, its parts, or a signature for another purpose", () => {
    const [, signature = ""] = cookie.split(".");
    for (const raw of [cookie, id, signature, sign(SECRET, "graph-token", `${id}.`), sign(SECRET, "csrf-token", id)])
      assert.equal(judge(raw), "wrong-token");
  });

  it("is invalid without a valid cookie, even if it matches the sent one", () => {
    const planted = "0".repeat(32) + ".planted";
    assert.equal(judge(token, { rawCookie: undefined }), "no-cookie");
    assert.equal(judge(csrfToken(SECRET, idOf(planted), undefined), { rawCookie: planted }), "no-cookie");
  });

  it("that is missing is distinguished from an invalid one", () => {
    assert.equal(judge(undefined), "no-token");
    assert.equal(judge(""), "no-token");
  });

  it("causes a refusal and never an exception, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (rawCookie, rawToken) => {
        assert.equal(judge(rawToken, { rawCookie }), "no-cookie");
        assert.notEqual(judge(rawToken), undefined);
      }),
    );
  });
});

describe("the origin of a mutation", () => {
  const ownOrigin = "https://shop.example";
  const judge = (fetchSite?: string, origin?: string) => judgeOrigin({ fetchSite, origin, ownOrigin });

  it("is accepted if it is the site itself, or missing, as from programs", () => {
    assert.equal(judge("same-origin", ownOrigin), undefined);
    assert.equal(judge("none"), undefined);
    assert.equal(judge(undefined, ownOrigin), undefined);
    assert.equal(judge(), undefined);
  });

  it("is refused for other sites, sibling subdomains and unknown values", () => {
    for (const site of ["cross-site", "same-site", "", "Same-Origin", "same-origin, cross-site"])
      assert.equal(judge(site, ownOrigin), "cross-site", site);
  });

  it("is refused for any other scheme, port, subdomain, opaque origin or look-alike", () => {
    const foreign = ["http://shop.example", "https://shop.example:8443", "https://a.shop.example", "null", ""];
    for (const origin of [...foreign, "https://shop.example.evil.test", "https://shop.example/"])
      assert.equal(judge("same-origin", origin), "foreign-origin", origin);
  });
});
