import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { imageTypeOf, MAX_IMAGE_BYTES } from "../bytes.ts";
import { previewOf } from "./preview.ts";

const HIDE = { keys: ["email"], isRevealed: false, isOperator: true };
const ALL = { ...HIDE, isRevealed: true };
const READER = { ...HIDE, isOperator: false };
const bytes = (text: string, encoding: BufferEncoding = "utf8"): Uint8Array => Buffer.from(text, encoding);
const preview = (data: Uint8Array, size = data.length, options = HIDE) => previewOf(data, size, options);

describe("The preview of a file", () => {
  for (const [type, hex] of [
    ["image/png", "89504e470d0a1a0a0000"],
    ["image/jpeg", "ffd8ffe000104a464946"],
    ["image/gif", "4749463839610100"],
    ["image/webp", "524946462400000057454250"],
  ] as const)
    it(`is an image if its bytes are ${type}, whatever its name`, () => {
      assert.deepEqual(preview(bytes(hex, "hex")), { kind: "image", type });
    });

  it("is not an image for SVG, HTML, and files that only start like an image", () => {
    for (const text of ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "RIFF....WAVE", "GIF88a", "BM"])
      assert.equal(imageTypeOf(bytes(text)), undefined, text);
    assert.deepEqual(preview(bytes("<svg onload='alert(1)'/>")), {
      kind: "text",
      text: "<svg onload='alert(1)'/>",
      isCut: false,
      redacted: 0,
    });
  });

  it("is the first bytes of an image that is too large, and of other binary files", () => {
    const large = preview(bytes("89504e470d0a1a0a", "hex"), MAX_IMAGE_BYTES + 1);
    assert.deepEqual(large, {
      kind: "hex",
      text: `00000000  89 50 4e 47 0d 0a 1a 0a${" ".repeat(24)}  .PNG....`,
      isCut: true,
    });
    for (const hex of ["00", "ff41", "1b5b324a", "c3"]) assert.equal(preview(bytes(hex, "hex")).kind, "hex", hex);
    const many = preview(new Uint8Array(1000));
    assert.ok(many.kind === "hex" && many.isCut && many.text.split("\n").length === 16);
  });

  it("is a text that ends with a complete character and is cut if it is long", () => {
    const cut = preview(bytes("caf\u00e9").subarray(0, 4), 900);
    assert.deepEqual(cut, { kind: "text", text: "caf", isCut: true, redacted: 0 });
    const long = preview(bytes("x".repeat(9000)));
    assert.ok(long.kind === "text" && long.isCut && long.text.length === 8000);
  });

  it("hides the secrets of JSON, and withholds JSON that cannot be parsed", () => {
    const json = bytes('{"name":"Ada","token":"planted"}');
    const hidden = preview(json);
    assert.ok(hidden.kind === "text" && hidden.redacted === 1 && !hidden.text.includes("planted"));
    assert.deepEqual(preview(json, 5000), { kind: "withheld" });
    assert.deepEqual(preview(bytes('{"token":"planted"}\n{"token":"planted"}')), { kind: "withheld" });
    const revealed = preview(json, json.length, ALL);
    assert.ok(revealed.kind === "text" && revealed.text.includes("planted"));
  });

  it("hides the values of secret names in lines, until an operator reveals them", () => {
    const lines =
      'PORT=3000\nAPI_KEY=planted\nexport DB_PASSWORD="planted"\n- token: planted\nEmail: planted\nnote: a token\r\n';
    const hidden = preview(bytes(lines));
    assert.deepEqual(hidden, {
      kind: "text",
      text: "PORT=3000\nAPI_KEY=hidden\nexport DB_PASSWORD=hidden\n- token: hidden\nEmail: hidden\nnote: a token\r\n",
      isCut: false,
      redacted: 4,
    });
    assert.deepEqual(preview(bytes(lines), lines.length, ALL), {
      kind: "text",
      text: lines,
      isCut: false,
      redacted: 0,
    });
  });

  it("shows readers only images and JSON, because other files cannot be searched for secrets", () => {
    for (const text of ["id,key\n7,planted", "API_KEY=planted", "\u0007 planted", "planted"])
      assert.deepEqual(preview(bytes(text), text.length, READER), { kind: "withheld" }, text);
    const json = preview(bytes('{"name":"Ada","token":"planted"}'), 32, READER);
    assert.ok(json.kind === "text" && json.text.includes("Ada") && !json.text.includes("planted"));
    assert.equal(preview(bytes("ffd8ffe000104a464946", "hex"), 10, READER).kind, "image");
  });
});
