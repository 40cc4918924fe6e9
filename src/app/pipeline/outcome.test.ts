import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRedirect, redirect } from "./outcome.ts";

function outcomeOf(...args: Parameters<typeof redirect>): string {
  try {
    redirect(...args);
  } catch (error) {
    if (!isRedirect(error)) throw error;
    return `${error.result.status} ${error.location}`;
  }
}

describe("redirect", () => {
  it("throws a response that leads to a target on this site, with 303 by default", () => {
    assert.equal(outcomeOf("/books?page=2"), "303 /books?page=2");
    assert.equal(outcomeOf("?page=2", 307), "307 ?page=2");
    assert.equal(outcomeOf("/new", { status: 308 }), "308 /new");
  });

  it("encodes characters that a header can't contain", () => {
    for (const [target, sent] of [
      ["/bücher?q=日本#ä", "/b%C3%BCcher?q=%E6%97%A5%E6%9C%AC#%C3%A4"],
      ["/evil。example", "/evil%E3%80%82example"],
      ["/a%20b\ud800", "/a%20b%EF%BF%BD"],
      ["/🙂", "/%F0%9F%99%82"],
    ] as const)
      assert.throws(
        () => redirect(target),
        (error) => {
          assert.ok(isRedirect(error));
          assert.deepEqual(error.result.headers.slice(0, 2), ["location", sent]);
          return true;
        },
      );
  });

  it("throws SVC_REDIRECT (400) for a target elsewhere, and says what to do", () => {
    for (const target of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "/\t/evil.example",
    ])
      assert.throws(
        () => outcomeOf(target),
        { code: "SVC_REDIRECT", status: 400, message: /allowOtherHost: true/ },
        target,
      );
  });

  it("leads to web addresses elsewhere only with allowOtherHost, and never to a script", () => {
    const allowOtherHost = true;
    assert.equal(outcomeOf("https://pay.example/", { allowOtherHost }), "303 https://pay.example/");
    for (const target of ["javascript:alert(1)", "data:text/html,x", "ftp://pay.example/"])
      assert.throws(
        () => outcomeOf(target, { allowOtherHost }),
        { code: "SVC_REDIRECT", message: /https:\/\// },
        target,
      );
  });
});
