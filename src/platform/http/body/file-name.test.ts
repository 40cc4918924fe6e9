import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { baseName } from "./file-name.ts";

describe("the display name of a file", () => {
  it("has no folders", () => {
    assert.deepEqual(["C:\\papers\\a.bin", "../../etc/passwd", "/a/b.txt"].map(baseName), ["a.bin", "passwd", "b.txt"]);
  });

  it("has no control characters, direction marks, zero-width characters and line separators", () => {
    const hidden = [
      0x00, 0x1f, 0x7f, 0x9f, 0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e,
    ];
    for (const code of [...hidden, 0x2060, 0x2066, 0x2069, 0x206f, 0xd800, 0xfeff, 0xfff9, 0xe0001])
      assert.equal(baseName(`a${String.fromCodePoint(code)}b`), "ab", code.toString(16));
  });

  it("keeps letters of all scripts and joined emoji", () => {
    for (const name of ["größe.txt", "\u0645\u06cc\u200c\u062e.pdf", "\ud83d\udc69\u200d\ud83d\udcbb.png"])
      assert.equal(baseName(name), name);
  });

  it('is "file" if nothing visible is left', () => {
    for (const name of ["", ".", "..", "...", " ", "\u202e", "\u200d", "a/"]) assert.equal(baseName(name), "file");
  });

  it("has at most 255 characters, none of them half", () => {
    assert.equal(baseName("\ud83d\ude00".repeat(300)), "\ud83d\ude00".repeat(127));
  });
});
