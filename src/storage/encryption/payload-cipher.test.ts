import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { keyOfBytes, keyOfText, PayloadCipher } from "./payload-cipher.ts";
import { readPayloadKeys } from "./payload-keys.ts";

const [NEW, OLD] = [
  { id: "2026-11", secret: "n".repeat(32) },
  { id: "2026-05", secret: "o".repeat(32) },
];
const on = new PayloadCipher([NEW, OLD]);
const off = new PayloadCipher([]);

function reasonOf(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (error instanceof SvcError && error.code === "SVC_PAYLOAD_KEY") return error.message;
    throw error;
  }
  return assert.fail("it was decrypted");
}

describe("An encrypted payload", () => {
  it("is decrypted to the same value, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const stored = on.seal(value as Json, "graph/g_1/input");
        assert.deepEqual(on.open(stored, "graph/g_1/input"), JSON.parse(JSON.stringify(value)));
        assert.equal(keyOfText(stored), value === null ? undefined : "2026-11");
      }),
    );
    const bytes = Buffer.from("a\0b");
    const stored = on.sealBytes(bytes, "p");
    assert.deepEqual(Buffer.from(on.openBytes(stored, "p")), bytes);
    assert.equal(keyOfBytes(stored), "2026-11");
    assert.equal(on.openText(on.sealText("ž\ud800", "p"), "p"), "ž\ufffd");
  });

  it("contains no part of the value, and differs each time", () => {
    const [one, other] = [on.seal("a secret", "p"), on.seal("a secret", "p")];
    assert.notEqual(one, other);
    assert.ok(!String(one).includes("secret"));
  });

  it("can't be decrypted at another place, after a change, or with another key of the same name", () => {
    const stored = String(on.seal({ iban: "DE1" }, "graph/g_1/input"));
    const changed = `${stored.slice(0, -3)}${stored.endsWith("AAA") ? "BBB" : "AAA"}`;
    const other = new PayloadCipher([{ id: NEW.id, secret: "x".repeat(32) }]);
    for (const open of [
      () => on.open(stored, "graph/g_2/input"),
      () => on.open(changed, "graph/g_1/input"),
      () => on.open(`${stored.slice(0, 30)}`, "graph/g_1/input"),
      () => other.open(stored, "graph/g_1/input"),
    ])
      assert.match(reasonOf(open), /can't be decrypted with the payload key "2026-11"/);
  });

  it("whose key is missing is reported with the name of the key, the variable and the place", () => {
    const stored = on.seal("a", "node/g_1/pay/result");
    for (const cipher of [off, new PayloadCipher([OLD])]) {
      const reason = reasonOf(() => cipher.open(stored, "node/g_1/pay/result"));
      for (const part of ['"2026-11"', "SVC_PAYLOAD_KEYS", "node/g_1/pay/result"]) assert.ok(reason.includes(part));
    }
  });

  it("of an earlier first key is decrypted with the list that still contains it", () => {
    const stored = new PayloadCipher([OLD]).seal([1], "p");
    assert.deepEqual(on.open(stored, "p"), [1]);
  });

  it("is bound to the name of its row as PostgreSQL returns it", () => {
    assert.equal(on.open(on.seal(1, "node/\0\ud800"), "node/\ufffd\ufffd"), 1);
  });
});

describe("A payload that is not encrypted", () => {
  it("is returned as it is, with and without keys", () => {
    for (const cipher of [on, off]) assert.deepEqual(cipher.open({ a: "b" }, "p"), { a: "b" });
    assert.deepEqual(off.seal({ a: "b" }, "p"), { a: "b" });
  });

  it("can't pretend to be encrypted", () => {
    for (const forged of [String(on.seal(1, "p")), "svc:enc:0:x", "svc:enc:", `svc:enc:1:${NEW.id}:AAAA`]) {
      const stored = off.seal(forged, "p");
      assert.equal(keyOfText(stored), undefined);
      for (const cipher of [on, off]) {
        assert.equal(cipher.open(stored, "p"), forged);
        assert.equal(cipher.openText(off.sealText(forged, "p"), "p"), forged);
      }
    }
    const bytes = on.sealBytes(Buffer.from("a"), "p");
    assert.deepEqual(Buffer.from(on.openBytes(off.sealBytes(bytes, "p"), "p")), Buffer.from(bytes));
  });
});

describe("SVC_PAYLOAD_KEYS", () => {
  it("lists named keys", () => {
    assert.deepEqual(readPayloadKeys(` ${NEW.id}:${NEW.secret}, ${OLD.id}:${OLD.secret},`), [NEW, OLD]);
    assert.deepEqual(readPayloadKeys(""), []);
  });

  it("is rejected with the position of the invalid entry, and without a key in the message", () => {
    const secret = "k".repeat(31);
    for (const [text, reason] of [
      [`${secret}k`, /without a name at position 1/],
      [`a:${secret}k,:${secret}`, /invalid name at position 2/],
      [`a b:${secret}`, /invalid name at position 1/],
      [`a:${secret}`, /"a" that is too short: 31 characters, at least 32/],
      [`a:${secret}k,a:${secret}j`, /two keys with the name "a"/],
    ] as const)
      assert.throws(
        () => readPayloadKeys(text),
        (error: Error) => reason.test(error.message) && !error.message.includes("kk"),
      );
  });
});
