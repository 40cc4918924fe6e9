import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOwnTarget, isWebUrl } from "./redirect-target.ts";

const OWN = [
  "/",
  "/books?page=2#top",
  "?page=2",
  "#top",
  "books",
  "./a",
  "../a",
  "",
  "/a//b",
  "/to?next=https://evil.example",
  "/a:b",
];
const EVIL = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "\\/evil.example",
  " //evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\u0000//evil.example",
  "https://evil.example",
  "http:evil.example",
  "https:evil.example",
  "HTTPS:/evil.example",
  "//a.invalid/x",
  "//b.invalid/x",
  "http://a.invalid/x",
  "https://b.invalid/x",
  "javascript:alert(1)",
  "java\tscript:alert(1)",
  " javascript:alert(1)",
  "data:text/html,x",
  "blob:https://a/b",
  "file:///etc/passwd",
  "ftp://a/b",
  "/a\r\nset-cookie: a=b",
];

describe("the target of a redirect", () => {
  it("is on this site if it is relative", () => {
    for (const location of OWN) assert.equal(isOwnTarget(location), true, JSON.stringify(location));
  });

  it("is not on this site in any form that browsers resolve to another one, or as a script", () => {
    for (const location of EVIL) assert.equal(isOwnTarget(location), false, JSON.stringify(location));
  });

  it("is a URL of the web only with http or https, a host and no credentials", () => {
    for (const location of ["https://pay.example/a?b", "http://127.0.0.1:8080/", "HTTPS://pay.example"])
      assert.equal(isWebUrl(location), true, location);
    const others = [
      "https://a@evil.example",
      "https:///evil.example",
      "https://\\evil",
      "//pay.example",
      "javascript:1",
      "https://",
    ];
    for (const location of [...others, "javascript://x/%0aalert(1)", "data:,x", "/a"])
      assert.equal(isWebUrl(location), false, location);
  });
});
