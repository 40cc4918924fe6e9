import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isInside, isPlain, pageOf, type Click, type Link } from "./link-click.ts";

const CLICK: Click = {
  button: 0,
  metaKey: false,
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  defaultPrevented: false,
};
const place = (href: string) => ({ href, origin: URL.canParse(href) ? new URL(href).origin : "" });
const HERE = place("https://example.com/users?page=2#top");
const link = (href: string, target = ""): Link => ({ ...place(href), target });

describe("a click on a link", () => {
  it("is handled if it uses the main button without modifier keys", () => {
    assert.equal(isPlain(CLICK), true);
  });

  for (const change of [
    { button: 1 },
    { button: 2 },
    { metaKey: true },
    { ctrlKey: true },
    { shiftKey: true },
    { altKey: true },
    { defaultPrevented: true },
  ]) {
    it(`is left to the browser with ${JSON.stringify(change)}`, () =>
      assert.equal(isPlain({ ...CLICK, ...change }), false));
  }
});

describe("a link", () => {
  for (const [what, to, expected] of [
    ["to another page of the site", link("https://example.com/"), true],
    ["to a fragment of another page", link("https://example.com/users#top"), true],
    ["to the current page", link("https://example.com/users?page=2"), true],
    ["to another query", link("https://example.com/users?page=3"), true],
    ["with target _self", link("https://example.com/", "_self"), true],
    ["with target _SELF, as HTML has no case there", link("https://example.com/", "_SELF"), true],
    ["to a fragment of the current page", link("https://example.com/users?page=2#below"), false],
    ["to the top of the current page", link("https://example.com/users?page=2#"), false],
    ["to another site", link("https://example.org/"), false],
    ["to another port", link("https://example.com:8443/"), false],
    ["to the site without TLS", link("http://example.com/"), false],
    ["to an email address", link("mailto:a@example.com"), false],
    ["without an address", link(""), false],
    ["that runs a script", link("javascript:alert(1)"), false],
    ["to a new tab", link("https://example.com/", "_blank"), false],
    ["to a frame", link("https://example.com/", "main"), false],
  ] as const) {
    it(`${what} is ${expected ? "followed in the document" : "left to the browser"}`, () =>
      assert.equal(isInside(to, false, HERE), expected));
  }

  it("that opts out of client-side navigation is left to the browser", () =>
    assert.equal(isInside(link("https://example.com/"), true, HERE), false));
});

describe("pageOf", () => {
  it("returns the address without its fragment", () => {
    assert.equal(pageOf(HERE.href), "https://example.com/users?page=2");
    assert.equal(pageOf("https://example.com/#a#b"), "https://example.com/");
  });
});
