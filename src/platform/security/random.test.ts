import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGraphId, createId, createNonce, createSalt, randomHex } from "./random.ts";

describe("random values", () => {
  it("include nonces of 18 bytes in base64, which never repeat", () => {
    const nonces = new Set(Array.from({ length: 5000 }, createNonce));
    assert.equal(nonces.size, 5000);
    for (const nonce of nonces) assert.match(nonce, /^[\w+/]{24}$/);
  });

  it("have two characters per byte in hex, even for more bytes than the pool holds", () => {
    for (const bytes of [1, 16, 4095, 4096, 4097, 10_000]) assert.match(randomHex(bytes), hexOf(bytes));
  });

  it("include ids of 16 bytes in hex and salts of 6 bytes in base64url, which never repeat", () => {
    const ids = Array.from({ length: 1000 }, createId);
    const salts = Array.from({ length: 1000 }, createSalt);
    assert.equal(new Set([...ids, ...salts]).size, 2000);
    for (const id of ids) assert.match(id, hexOf(16));
    for (const salt of salts) assert.match(salt, /^[\w-]{8}$/);
  });

  it("never reuse bytes of an earlier one", () => {
    const drawn = new Set(Array.from({ length: 2000 }, () => randomHex(16)));
    assert.equal(drawn.size, 2000);
  });
});

const hexOf = (bytes: number): RegExp => new RegExp(`^[0-9a-f]{${bytes * 2}}$`);

describe("graph ids", () => {
  // Ids never go back, and the process may have created some, so this test uses times far ahead.
  const aheadMs = Date.UTC(2100, 0, 1);

  it("are g_ and 26 characters of Crockford's base32", () => {
    assert.match(createGraphId(aheadMs), /^g_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it("sort by time, by order within one millisecond, and never go back with the clock", () => {
    const times = [aheadMs, aheadMs, aheadMs, aheadMs + 1, aheadMs + 40, aheadMs + 2, 0, aheadMs + 41];
    const ids = times.map(createGraphId);
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
  });

  it("stay unique and sorted through all carries within one millisecond", () => {
    const ids = Array.from({ length: 5000 }, () => createGraphId(aheadMs + 100));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.toSorted(), ids);
  });
});
