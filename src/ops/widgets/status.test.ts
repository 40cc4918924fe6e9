import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusMark } from "./status-mark.tsx";
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";

describe("Statuses", () => {
  it("are distinguishable by word alone, and by shape alone", () => {
    const looks = Object.values(STATUS_LOOKS);
    assert.equal(new Set(looks.map(({ word }) => word)).size, looks.length);
    assert.equal(new Set(looks.map(({ shape }) => shape)).size, looks.length);
  });

  it("are shown as shape and word, with the shape hidden from screen readers", () => {
    for (const status of Object.keys(STATUS_LOOKS) as FlowStatus[]) {
      const html = String(StatusMark({ status }));
      assert.match(html, new RegExp(`data-status="${status}"`));
      assert.match(html, new RegExp(`>${STATUS_LOOKS[status].word}</span>`));
      assert.match(html, /<svg [^>]*aria-hidden="true"/);
    }
  });

  it("can have another word, which is escaped", () => {
    assert.match(String(StatusMark({ status: "retrying", word: "retrying <2/5>" })), />retrying &lt;2\/5></);
  });
});
