import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SvcError } from "../../shared/errors.ts";
import { asData, isHost, MAX_TARGET_LENGTH, readTarget } from "./target.ts";

const pathOf = (target: string): string => readTarget(target).path;
const isRefused = (target: string, code = "SVC_BAD_REQUEST"): void =>
  assert.throws(() => readTarget(target), { code }, target);

describe("a request target", () => {
  it("is parsed into a decoded path and a raw query", () => {
    assert.deepEqual(readTarget("/"), { path: "/", routed: "/", queryText: "" });
    assert.deepEqual(readTarget("/a/b?x=1&y=%2e%2e?z"), { path: "/a/b", routed: "/a/b", queryText: "x=1&y=%2e%2e?z" });
    const decoded = "/café au lait";
    assert.deepEqual(readTarget("/caf%C3%A9%20au%20lait?"), { path: decoded, routed: decoded, queryText: "" });
  });

  it("is decoded once, so later escapes stay text", () => {
    assert.equal(pathOf("/100%25"), "/100%");
    assert.equal(pathOf("/%252e%252e/a"), "/%2e%2e/a");
  });

  it("distinguishes an encoded slash from a separator and from the text %2F", () => {
    for (const target of ["/a%2Fb/c", "/a%2fb/c"]) {
      const { path, routed } = readTarget(target);
      assert.equal(path, "/a%2Fb/c");
      assert.deepEqual(routed.split("/").length, 3);
      assert.deepEqual({ ...asData({ id: routed }) }, { id: "/a/b/c" });
    }
    const text = readTarget("/a%252Fb");
    assert.deepEqual([text.path, text.routed], ["/a%2Fb", "/a%2Fb"]);
    assert.deepEqual(
      { ...asData({ url: readTarget("/https%3A%2F%2Fa.example%2Fb").routed }) },
      { url: "/https://a.example/b" },
    );
  });

  it("is refused in absolute form, as //host, and without a leading slash", () => {
    for (const target of ["http://evil.test/", "//evil.test/a", "*", "", "a", "?a", "https:/a", "/\\evil.test"])
      isRefused(target);
    isRefused("/%5Cevil.test");
  });

  it("is refused with a dot segment in any spelling", () => {
    for (const target of ["/..", "/a/..", "/a/../b", "/./a", "/a/.", "/%2e%2e/a", "/.%2E/a", "/a/%2e", "/..%2fa"])
      isRefused(target);
    isRefused("/..%5ca");
    isRefused("/a%2f..%2fb");
    assert.equal(pathOf("/..a/b../...?c=.."), "/..a/b../...");
  });

  it("is refused with an empty segment, a backslash, a NUL or an invalid escape", () => {
    for (const target of ["/a//b", "/a\\b", "/a%5cb", "/a%00", "/%", "/%4", "/%zz", "/%ff", "/%c0%af"])
      isRefused(target);
  });

  it("is refused with characters that must be percent-encoded, because they would be a second spelling", () => {
    for (const target of ["/a#b", "/a b", "/café", "/a\tb", "/a\x7f", "/?q=ü"]) isRefused(target);
  });

  it("has at most 8 KiB", () => {
    const longest = `/${"a".repeat(MAX_TARGET_LENGTH - 1)}`;
    assert.equal(pathOf(longest), longest);
    isRefused(`${longest}a`, "SVC_URL_TOO_LONG");
    isRefused(`/?${"%".repeat(MAX_TARGET_LENGTH)}`, "SVC_URL_TOO_LONG");
  });

  it("causes a defined error, or has no dot segments, empty segments, backslash or NUL, for any input", () => {
    const nasty = fc.constantFrom("/", "//", "..", ".", "%2e", "%2F", "%5c", "%00", "%", "?", "#", "a", "%C3%A9", "\\");
    const target = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(nasty).map((parts) => `/${parts.join("")}`),
      fc.webPath(),
    );
    fc.assert(
      fc.property(target, (text) => {
        try {
          const { path, routed } = readTarget(text);
          assert.match(path, /^\//);
          assert.doesNotMatch(path, /\/\/|\\|\0|(?:^|\/)\.\.?(?:\/|$)/);
          assert.equal(routed.replaceAll("\0", "%2F"), path);
          assert.doesNotMatch(asData({ path: routed })["path"] ?? "", /(?:^|\/)\.\.?(?:\/|$)/);
        } catch (error) {
          assert.ok(error instanceof SvcError, String(error));
          assert.ok(error.code === "SVC_BAD_REQUEST" || error.code === "SVC_URL_TOO_LONG", error.code);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a host", () => {
  it("is a name, an IPv4 address or a bracketed IPv6 address, with or without a port", () => {
    for (const text of [
      "a",
      "shop.example",
      "a_b.example:80",
      "127.0.0.1:3000",
      "[::1]",
      "[2001:db8::1]:443",
      "xn--p1ai",
    ])
      assert.equal(isHost(text), true, text);
  });

  it("is refused if it would change the URL made with it", () => {
    for (const text of ["", "a/b", "user@a", "a?b", "a#b", "a b", "a:b", "a:", "::1", "a\\b", "a,b", "a:123456", "é"])
      assert.equal(isHost(text), false, text);
  });
});
