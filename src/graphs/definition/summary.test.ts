/** Summaries as the store keeps them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_SUMMARY_LENGTH, summaryOf } from "./summary.ts";

describe("A summary", () => {
  it("is one line without invisible characters", () => {
    assert.equal(summaryOf("  Invoice 17\n\tfor\u0000 ACME "), "Invoice 17 for ACME");
  });

  it("is cut between characters if it is too long", () => {
    const kept = summaryOf(`${"a".repeat(MAX_SUMMARY_LENGTH - 2)}😀😀`);
    assert.equal(kept, `${"a".repeat(MAX_SUMMARY_LENGTH - 2)}…`);
    assert.equal(summaryOf("é".repeat(MAX_SUMMARY_LENGTH)), "é".repeat(MAX_SUMMARY_LENGTH));
  });

  it("is converted to text from any value", () => {
    assert.equal(summaryOf(17), "17");
    assert.equal(summaryOf("a\ud800b"), "a\ufffdb");
  });
});
