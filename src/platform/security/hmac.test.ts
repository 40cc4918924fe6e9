import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { HmacKey } from "./hmac.ts";

const KEYS = ["", "k", "a".repeat(63), "a".repeat(64), "a".repeat(65), "ключ ".repeat(40)];
const TEXTS = [
  "",
  "text",
  "purpose\0value",
  "ü€😀".repeat(128),
  "x".repeat(1023),
  "x".repeat(1024),
  "ü".repeat(1024),
  "€".repeat(1024),
  "😀".repeat(512),
  "x".repeat(9000),
];

test("a signature equals Node's HMAC-SHA256 for any length of key and text", () => {
  for (const key of KEYS) {
    const made = new HmacKey(key);
    for (const text of [...TEXTS, ...TEXTS.reverse()]) {
      assert.equal(made.sign(text), createHmac("sha256", key).update(text, "utf8").digest("base64url"));
    }
  }
});

test("a key of bytes signs like Node's, in every encoding, for texts and bytes", () => {
  for (const size of [0, 24, 64, 65, 200]) {
    const key = Buffer.alloc(size, 0xc3);
    const made = new HmacKey(key);
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      for (const text of ["short ü", "long ü".repeat(400), Buffer.from([0xff, 0, 0xc3])])
        assert.equal(made.digest(text, encoding), createHmac("sha256", key).update(text).digest(encoding));
    }
  }
});

test("a signature matches the test vector of RFC 4231 section 4.3", () => {
  const expected = Buffer.from("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "hex");
  assert.equal(new HmacKey("Jefe").sign("what do ya want for nothing?"), expected.toString("base64url"));
});
