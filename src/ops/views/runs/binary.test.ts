import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { binaryOf, pictureOf } from "./binary.ts";

const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(40, 7)]);
const GIF = Buffer.from("474946383961ffffffffffffff", "hex");

describe("Binary data in JSON", () => {
  it("is an image if its first bytes say so, whatever type the data: URL has", () => {
    const alone = binaryOf(PNG.toString("base64"));
    assert.deepEqual(alone, { type: "image/png", bytes: 48, isImage: true, hex: undefined });
    assert.equal(binaryOf(GIF.toString("base64url"))?.type, "image/gif");
    const lying = `data:text/html;charset=utf-8;base64,${PNG.toString("base64")}`;
    assert.equal(binaryOf(lying)?.type, "image/png");
    assert.deepEqual(pictureOf(lying), { type: "image/png", body: PNG });
  });

  it("is shown with its type and its first bytes if it is not an image, even if it is a document", () => {
    const svg = binaryOf(`data:image/svg+xml;base64,${Buffer.from("<svg onload='x()'/>").toString("base64")}`);
    assert.deepEqual([svg?.type, svg?.bytes, svg?.isImage], ["image/svg+xml", 19, false]);
    assert.match(svg?.hex?.text ?? "", /^00000000 {2}3c 73 76 67 .* {2}<svg onload='x\(\)$/m);
    const long = binaryOf(`DATA:;base64,${Buffer.alloc(1000).toString("base64")}`);
    assert.deepEqual([long?.type, long?.bytes, long?.hex?.isCut], ["text/plain", 1000, true]);
    assert.equal(long?.hex?.text.split("\n").length, 16);
    assert.equal(pictureOf(`data:image/png;base64,${Buffer.alloc(30).toString("base64")}`), undefined);
  });

  it("is not detected in plain text: words, IDs, broken base64 and other URLs", () => {
    const png = PNG.toString("base64");
    for (const text of ["", "iVBORw0KGgo=", "Hamburg", "/9j/ is how they begin", "A".repeat(4000), `${png} and more`])
      assert.equal(binaryOf(text), undefined, text.slice(0, 40));
    for (const url of [
      "data:text/plain,iVBORw0KGgoHBwcHBwc",
      "data:image/png;base64,",
      "data:image/png;base64,a b c d e f",
    ])
      assert.equal(binaryOf(url), undefined, url);
  });

  it("is shown with its first bytes if the image is too large", () => {
    const large = `data:image/png;base64,${Buffer.concat([PNG, Buffer.alloc(10_000_000)]).toString("base64")}`;
    assert.equal(binaryOf(large)?.isImage, false);
    assert.match(binaryOf(large)?.hex?.text ?? "", /^00000000 {2}89 50 4e 47/);
    assert.equal(pictureOf(large), undefined);
  });
});
