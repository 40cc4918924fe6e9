import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readReports } from "./policy-reports.ts";

const legacy = {
  "csp-report": {
    "document-uri": "https://me:pw@shop.example/cart?token=s3cret#top",
    "violated-directive": "script-src-elem",
    "effective-directive": "script-src-elem",
    "original-policy": "default-src 'self' 'nonce-s3cret'",
    "blocked-uri": "https://evil.example/x.js?c=s3cret",
    "source-file": "https://shop.example/cart?s3cret",
    "line-number": 12,
    "script-sample": "s3cret",
  },
};

const modern = {
  type: "csp-violation",
  age: 10,
  url: "https://shop.example/cart",
  user_agent: "s3cret",
  body: {
    documentURL: "https://shop.example/cart?s3cret",
    effectiveDirective: "script-src-elem",
    blockedURL: "inline",
    disposition: "report",
    sample: "s3cret",
  },
};

describe("policy reports", () => {
  it("in the old format are logged without credentials, queries, samples and nonces", () => {
    assert.deepEqual(readReports(legacy), [
      {
        directive: "script-src-elem",
        refused: "https://evil.example/x.js",
        page: "https://shop.example/cart",
        source: "https://shop.example/cart:12",
      },
    ]);
  });

  it("in the new format are read from a list that may contain other types", () => {
    assert.deepEqual(readReports([{ type: "deprecation", body: { id: "x" } }, modern]), [
      { directive: "script-src-elem", refused: "inline", page: "https://shop.example/cart", isTrial: true },
    ]);
  });

  it("can't end a line, control a terminal or fill a disk", () => {
    const [report] = readReports({
      "csp-report": {
        "effective-directive": "a\nrequest 1: admin signed in\u001b[2J",
        "blocked-uri": `https://e.example/${"x".repeat(5000)}`,
        "document-uri": "data:text/html,s3cret",
      },
    });
    assert.deepEqual(report, {
      directive: "a_request_1:_admin_signed_in_[2J",
      refused: `https://e.example/${"x".repeat(182)}`,
      page: "data:",
    });
    assert.equal(readReports(Array.from({ length: 500 }, () => modern)).length, 10);
  });

  it("of an unknown format are dropped", () => {
    for (const body of [null, 7, "x", [], {}, [null], [[]], [{ type: "csp-violation" }], { "csp-report": [] }])
      assert.deepEqual(readReports(body), []);
    assert.deepEqual(readReports({ "csp-report": { "blocked-uri": { nested: true } } }), [
      { directive: "", refused: "", page: "" },
    ]);
  });
});
