/** Detection of media types by the first bytes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAllowedType, mayBe } from "./sniff-media-type.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const PNG = hex("89504e470d0a1a0a 0000000d");
const ZIP = hex("504b0304 14000000");
const WEBP = hex("52494646 24000000 57454250");

describe("a file", () => {
  it("matches its declared type if its bytes show that type", () => {
    assert.ok(mayBe("image/png", PNG));
    assert.ok(mayBe("image/webp", WEBP));
    assert.ok(mayBe("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ZIP));
    assert.ok(mayBe("text/csv", Buffer.from("a,b\n1,2")));
  });

  it("contradicts its declared type if its bytes show another type, or none", () => {
    assert.equal(mayBe("image/png", Buffer.from("<svg onload=alert(1)>")), false);
    assert.equal(mayBe("image/jpeg", PNG), false);
    assert.equal(mayBe("image/png", Buffer.from("hello")), false);
    assert.equal(mayBe("text/plain", Buffer.from(" \n<!DOCTYPE html><script>")), false);
    assert.equal(mayBe("text/plain", hex("4d5a9000")), false);
    assert.equal(mayBe("image/png", ZIP), false);
  });

  it("is allowed by its exact type or its kind", () => {
    assert.ok(isAllowedType("image/png", ["image/*"]));
    assert.equal(isAllowedType("image/png", ["image/jpeg", "application/*"]), false);
  });
});
