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
  "x".repeat(511),
  "x".repeat(512),
  "😀".repeat(256),
  "x".repeat(9000),
];

test("a signature is Node's HMAC-SHA256, whatever the lengths of key and text", () => {
  for (const key of KEYS) {
    const made = new HmacKey(key);
    for (const text of [...TEXTS, ...TEXTS.reverse()]) {
      assert.equal(made.sign(text), createHmac("sha256", key).update(text, "utf8").digest("base64url"));
    }
  }
});

test("the test vector of RFC 4231 section 4.3", () => {
  const expected = Buffer.from("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "hex");
  assert.equal(new HmacKey("Jefe").sign("what do ya want for nothing?"), expected.toString("base64url"));
});
