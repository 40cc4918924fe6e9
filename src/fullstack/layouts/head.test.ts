import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../index.ts";
import { t } from "../../jsx-runtime.ts";
import { headElements, mergeHeads } from "./head.ts";

const written = (preload: readonly string[]): string => t(headElements({ preload }, undefined));

describe("head.preload", () => {
  it("is written with the purpose of each file, and fonts as browsers request them", () => {
    assert.equal(
      written(["/inter.woff2", "/hero.avif?1", "/print.css"]),
      '<link rel="preload" as="font" type="font/woff2" crossorigin href="/inter.woff2">' +
        '<link rel="preload" as="image" href="/hero.avif?1"><link rel="preload" as="style" href="/print.css">',
    );
  });

  it("has the files of the layouts and of the page, each once", () => {
    assert.deepEqual(mergeHeads([{ preload: ["/a.woff2"] }, {}, { preload: ["/b.woff2", "/a.woff2"] }]).preload, [
      "/a.woff2",
      "/b.woff2",
    ]);
  });

  it("is refused for a file without a known purpose", () => {
    assert.throws(
      () => written(["/data.json"]),
      (error) => error instanceof SvcError && error.code === "SVC_DEFINITION" && error.message.includes("/data.json"),
    );
  });
});
