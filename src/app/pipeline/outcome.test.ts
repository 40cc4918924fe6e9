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
