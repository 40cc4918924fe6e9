import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cookieKey, cookieNamed, parseCookies, serializeCookie } from "./cookies.ts";

const read = (header: string | undefined): Record<string, string> => ({ ...parseCookies(header) });

describe("parsing cookies", () => {
  it("finds names and values, with or without spaces, quotes and percent escapes", () => {
    assert.deepEqual(read("a=1; b=2;c=3"), { a: "1", b: "2", c: "3" });
    assert.deepEqual(read('q="in quotes"; e=caf%C3%A9; eq=a=b=c; empty='), {
      q: "in quotes",
      e: "café",
      eq: "a=b=c",
      empty: "",
    });
  });

  it("uses the first of two cookies with one name, which is more specific", () => {
    assert.deepEqual(read("a=here; a=there"), { a: "here" });
  });

  it("skips malformed pairs, and keeps values of other software unchanged", () => {
    assert.deepEqual(read("; alone; =nameless; ;"), {});
    assert.deepEqual(read("pct=100%; half=%E0%A4"), { pct: "100%", half: "%E0%A4" });
    assert.deepEqual(read(undefined), {});
  });

  it("is not affected by names of prototype properties", () => {
    const cookies = parseCookies("a=1; __proto__=x; constructor=y");
    assert.equal(Object.getPrototypeOf(cookies), null);
    assert.deepEqual(Object.keys(cookies), ["a", "__proto__", "constructor"]);
    assert.equal(parseCookies("")["toString"], undefined);
  });

  it("finds a cookie by name with the same result as parsing all", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "=", ";", " ", '"', "%", "4", "1"), maxLength: 30 });
    const name = fc.constantFrom("a", "b", "aa", "ab", "%41", "");
    fc.assert(
      fc.property(text, name, (header, one) => {
        assert.equal(cookieNamed(header, one), one === "" ? undefined : parseCookies(header)[one]);
      }),
    );
    assert.equal(cookieNamed("aa=1; a =2", "a"), "2");
    assert.equal(cookieNamed(undefined, "a"), undefined);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => parseCookies(header) !== undefined));
  });
});

const TOKEN = "abcXYZ019!#$%&'*+-.^_`|~".split("");

describe("formatting cookies", () => {
  it("has safe defaults", () => {
    assert.equal(serializeCookie("session", "a b"), "session=a%20b; Path=/; HttpOnly; SameSite=Lax");
  });

  it("supports all attributes", () => {
    const options = { httpOnly: false, secure: true, sameSite: "None", path: "/app", maxAgeSeconds: 3600.9 } as const;
    assert.equal(serializeCookie("a", "1", options), "a=1; Path=/app; Max-Age=3600; Secure; SameSite=None");
    assert.match(serializeCookie("a", "", { maxAgeSeconds: 0 }), /^a=; Path=\/; Max-Age=0; /);
    const expires = new Date(Date.UTC(2026, 0, 1));
    assert.equal(
      serializeCookie("a", "1", {
        domain: "shop.example",
        expires,
        partitioned: true,
        secure: true,
        sameSite: "Strict",
      }),
      "a=1; Path=/; Domain=shop.example; Expires=Thu, 01 Jan 2026 00:00:00 GMT; HttpOnly; Secure; Partitioned; SameSite=Strict",
    );
  });

  it("rejects cookies above the size limit of browsers, measured when encoded", () => {
    assert.equal(serializeCookie("ab", "x".repeat(4093)).indexOf(";"), 4096);
    for (const value of ["x".repeat(4094), "ü".repeat(700)])
      assert.throws(() => serializeCookie("ab", value), {
        name: "TypeError",
        message: /bytes when encoded; browsers accept at most 4096/,
      });
  });

  it("rejects invalid domains and dates", () => {
    for (const domain of ["", "a b", ".shop.example", "shop.example; Path=/x", "shop.example:80", "a\r\nb"])
      assert.throws(
        () => serializeCookie("a", "1", { domain }),
        { name: "TypeError", message: /has the invalid domain/ },
        domain,
      );
    assert.throws(() => serializeCookie("a", "1", { expires: new Date(Number.NaN) }), /invalid expiry date/);
  });

  it("preserves any value through parsing", () => {
    const name = fc.string({ unit: fc.constantFrom(...TOKEN), minLength: 1 });
    // Characters that end a value, a pair or a line, among ones that need no encoding.
    const sharp = fc.string({ unit: fc.constantFrom("a", "=", ";", " ", ",", "\r\n", "\0", "%", "ž") });
    const values = fc.oneof(fc.string({ unit: "grapheme" }), sharp);
    fc.assert(
      fc.property(name, values, (key, value) => {
        const line = serializeCookie(key, value);
        assert.match(line, /^[\x21-\x7e]+; Path=\/; HttpOnly; SameSite=Lax$/);
        const pair = line.slice(0, line.indexOf(";"));
        assert.deepEqual(read(`before=1; ${pair}; after=2`), { before: "1", [key]: value, after: "2" });
      }),
      {
        numRuns: 1000,
        examples: [
          ["n", "; Path=/evil\r\nset-cookie: x"],
          ["n", "x; Domain=evil"],
          ["n", "x\r\nset-cookie: a=b"],
        ],
      },
    );
  });

  it("rejects a name that would end the pair or the header", () => {
    for (const name of ["", "a b", "a=b", "a;b", "a,b", "a\r\nb", "ü"]) {
      assert.throws(() => serializeCookie(name, "1"), { name: "TypeError", message: /is not a cookie name/ }, name);
    }
  });

  it("rejects a path that would add attributes, and ages that are not finite", () => {
    for (const path of ["", "app", "/;Domain=example.com", "/\r\nset-cookie: x=1", "/ü"])
      assert.throws(
        () => serializeCookie("a", "1", { path }),
        { name: "TypeError", message: /has the invalid path/ },
        path,
      );
    for (const maxAgeSeconds of [Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => serializeCookie("a", "1", { maxAgeSeconds }), {
        name: "TypeError",
        message: /maxAgeSeconds/,
      });
  });

  it("rejects an invalid SameSite, which could end the header", () => {
    for (const sameSite of ["", "Lax; Secure", "Lax\r\nset-cookie: x=1"])
      assert.throws(() => serializeCookie("a", "1", { sameSite: sameSite as "Lax" }), TypeError, sameSite);
  });

  it("distinguishes cookies by name, domain and path", () => {
    const keys = [{}, { domain: "a.example" }, { domain: "b.example" }, { path: "/a" }, { path: "/b" }];
    assert.equal(new Set(keys.map((options) => cookieKey("a", options))).size, keys.length);
    assert.equal(cookieKey("a", { domain: "A.example" }), cookieKey("a", { domain: "a.EXAMPLE", path: "/" }));
    assert.notEqual(cookieKey("a"), cookieKey("b"));
  });

  it("rejects cookies that browsers would silently reject: unmet prefixes, SameSite=None without Secure", () => {
    const refused = [
      ["__Secure-a", {}],
      ["__Host-a", {}],
      ["__host-a", { secure: false }],
      ["__Host-a", { secure: true, path: "/app" }],
      ["__Host-a", { secure: true, domain: "shop.example" }],
      ["__Http-a", { secure: true, httpOnly: false }],
      ["__Host-Http-a", { secure: true, httpOnly: false }],
      ["a", { sameSite: "None" }],
      ["a", { partitioned: true }],
    ] as const;
    for (const [name, options] of refused) assert.throws(() => serializeCookie(name, "1", options), TypeError, name);
    assert.match(serializeCookie("__Host-a", "1", { secure: true }), /^__Host-a=1; Path=\/; HttpOnly; Secure/);
    assert.match(serializeCookie("__Secure-a", "1", { secure: true, path: "/app" }), /Path=\/app/);
  });
});
