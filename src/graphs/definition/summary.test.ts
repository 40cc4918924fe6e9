/** Summaries as they are kept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_SUMMARY_LENGTH, summaryOf } from "./summary.ts";

describe("A summary", () => {
  it("is one line, without what can't be seen", () => {
    assert.equal(summaryOf("  Invoice 17\n\tfor\u0000 ACME "), "Invoice 17 for ACME");
  });

  it("is cut where it is too long, between characters", () => {
    const kept = summaryOf(`${"a".repeat(MAX_SUMMARY_LENGTH - 2)}😀😀`);
    assert.equal(kept, `${"a".repeat(MAX_SUMMARY_LENGTH - 2)}…`);
    assert.equal(summaryOf("é".repeat(MAX_SUMMARY_LENGTH)), "é".repeat(MAX_SUMMARY_LENGTH));
  });

  it("is a text, whatever was given", () => {
    assert.equal(summaryOf(17), "17");
    assert.equal(summaryOf("a\ud800b"), "a\ufffdb");
  });
});
