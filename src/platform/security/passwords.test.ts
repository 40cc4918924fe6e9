import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { describe, it } from "node:test";
import { hashPassword, verifyPassword } from "./passwords.ts";

const plain = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** A hash with a lower cost, as from an earlier version. */
function oldHash(password: string, ln = 10): string {
  const salt = Buffer.alloc(16, 7);
  return `$scrypt$ln=${ln},r=8,p=1$${plain(salt)}$${plain(scryptSync(password, salt, 32, { N: 2 ** ln, r: 8, p: 1 }))}`;
}

describe("a password hash", () => {
  it("accepts its password only, and is salted", async () => {
    const [first, second] = await Promise.all([hashPassword("tea ☕"), hashPassword("tea ☕")]);
    assert.match(first, /^\$scrypt\$ln=15,r=8,p=3\$[^$]{22}\$[^$]{43}$/);
    assert.notEqual(first, second);
    assert.deepEqual(await verifyPassword("tea ☕", first), { isValid: true, rehash: undefined });
    assert.deepEqual(await verifyPassword("tea", first), { isValid: false, rehash: undefined });
  });

  it("of a lower cost is accepted, and replaced by one of today's cost", async () => {
    const { isValid, rehash = "" } = await verifyPassword("tea", oldHash("tea"));
    assert.equal(isValid, true);
    assert.match(rehash, /^\$scrypt\$ln=15,/);
    assert.equal((await verifyPassword("tea", rehash)).isValid, true);
    assert.deepEqual(await verifyPassword("milk", oldHash("tea")), { isValid: false, rehash: undefined });
  });

  it("accepts equal text in another Unicode form", async () => {
    assert.equal((await verifyPassword("cafe\u0301", oldHash("caf\u00e9"))).isValid, true);
  });

  it("that does not exist never accepts a password", async () => {
    for (const password of ["", "tea"])
      assert.deepEqual(await verifyPassword(password, undefined), { isValid: false, rehash: undefined });
  });

  it("accepts neither an empty password nor a very long one", async () => {
    for (const password of ["", "a".repeat(4097)]) {
      await assert.rejects(hashPassword(password), { code: "SVC_INVALID" });
      assert.equal((await verifyPassword(password, oldHash("tea"))).isValid, false);
    }
    assert.equal((await verifyPassword("", oldHash(" "))).isValid, false);
  });

  it("is rejected if it is damaged, or would cost too much", async () => {
    const hash = oldHash("tea");
    const texts = [
      "",
      "tea",
      hash.slice(0, -20),
      hash.replace("ln=10", "ln=31"),
      hash.replace("r=8", "r=99"),
      hash.replace("p=1", "p=0"),
    ];
    for (const text of [...texts, `${hash}$`, "$2b$10$abcdefghijklmnopqrstuv"])
      await assert.rejects(verifyPassword("tea", text), { code: "SVC_DEFINITION" }, text);
  });
});
