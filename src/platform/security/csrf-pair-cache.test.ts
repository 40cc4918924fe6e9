import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CsrfPairCache } from "./csrf-pair-cache.ts";

const LENGTHS = { cookie: 6, id: 3, token: 4 };

describe("cached pairs of cookie and token", () => {
  it("are found with the same session after they were stored", () => {
    const pairs = new CsrfPairCache(LENGTHS);
    assert.equal(pairs.has("idsign", "s", "toke"), false);
    pairs.keep("idsign", "s", "toke");
    assert.equal(pairs.has("idsign", "s", "toke"), true);
    assert.equal(pairs.has("idsign", undefined, "toke"), false);
    assert.equal(pairs.has("idsign", "t", "toke"), false);
  });

  it("are not found if one character differs, even directly after a match", () => {
    const pairs = new CsrfPairCache(LENGTHS);
    pairs.keep("idsign", undefined, "toke");
    const others = [
      "idsigm toke",
      "idsIgn toke",
      "idsign tokf",
      "idsign Toke",
      "idsign tok",
      "idsign tokee",
      "idsig toke",
    ];
    for (const [cookie = "", token = ""] of others.map((other) => other.split(" "))) {
      assert.equal(pairs.has("idsign", undefined, "toke"), true);
      assert.equal(pairs.has(cookie, undefined, token), false, `${cookie} ${token}`);
    }
  });

  it("are not found by bytes of an earlier pair, if a character has more bytes than the buffer has room for", () => {
    const pairs = new CsrfPairCache(LENGTHS);
    pairs.keep("idsign", undefined, "toke");
    for (const token of ["tokü", "to€e", "t𝄞k"]) assert.equal(pairs.has("idsign", undefined, token), false, token);
    assert.equal(pairs.has("idsigü", undefined, "toke"), false);
  });

  it("are evicted by two thousand others", () => {
    const pairs = new CsrfPairCache({ cookie: 8, id: 4, token: 4 });
    const cookie = (at: number): string => `${String(at).padStart(4, "0")}sign`;
    for (let at = 0; at < 3000; at++) pairs.keep(cookie(at), undefined, "toke");
    assert.deepEqual(
      [0, 999, 2999].map((at) => pairs.has(cookie(at), undefined, "toke")),
      [false, false, true],
    );
  });
});
