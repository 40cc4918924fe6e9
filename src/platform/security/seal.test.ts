import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Sealer } from "./seal.ts";
import { readSigned, signValue } from "./signed-value.ts";

const text = fc.string({ unit: "grapheme" });

describe("a sealed value", () => {
  const sealer = new Sealer(["secret"], "session");

  it("is unsealed unchanged, and reveals nothing to its bearer", () => {
    fc.assert(
      fc.property(text, (value) => {
        const sealed = sealer.seal(value);
        assert.match(sealed, /^[\w-]{54,}$/);
        assert.deepEqual(sealer.unseal(sealed), { text: value, isCurrent: true });
      }),
    );
    assert.notEqual(sealer.seal("same"), sealer.seal("same"));
  });

  it("is invalid if any character was changed, cut or added", () => {
    const sealed = sealer.seal("user 7");
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
      assert.equal(sealer.unseal(changed), undefined, `character ${at}`);
      assert.equal(sealer.unseal(sealed.slice(0, at)), undefined);
    }
    for (const added of ["A", "=", "%00", "."]) assert.equal(sealer.unseal(sealed + added), undefined);
  });

  it("is invalid for another purpose and another secret", () => {
    const sealed = sealer.seal("user 7");
    assert.equal(new Sealer(["secret"], "other").unseal(sealed), undefined);
    assert.equal(new Sealer(["other"], "session").unseal(sealed), undefined);
  });

  it("opens with a previous secret, and reports that", () => {
    const rotated = new Sealer(["new", "secret"], "session");
    assert.deepEqual(rotated.unseal(sealer.seal("a")), { text: "a", isCurrent: false });
    assert.equal(sealer.unseal(rotated.seal("a")), undefined);
  });

  it("never causes an exception, for any input", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (raw) => sealer.unseal(raw) === undefined));
  });
});

describe("a signed value", () => {
  it("is read unchanged, for its purpose and with secrets of the site", () => {
    fc.assert(
      fc.property(text, (value) => {
        const signed = signValue(["old"], "cookie a", value);
        assert.equal(readSigned(["old"], "cookie a", signed), value);
        assert.equal(readSigned(["new", "old"], "cookie a", signed), value);
        assert.equal(readSigned(["new"], "cookie a", signed), undefined);
        assert.equal(readSigned(["old"], "cookie b", signed), undefined);
        assert.equal(readSigned(["old"], "cookie a", `x${signed}`), undefined);
      }),
    );
    for (const raw of [undefined, "", ".", "value", "value."])
      assert.equal(readSigned(["old"], "cookie a", raw), undefined);
  });
});
