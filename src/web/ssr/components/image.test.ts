import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../../platform/shared/errors.ts";
import { t } from "../write.ts";
import { Image, type ImageProps } from "./image.ts";

const PHOTO = {
  src: "/photo.jpg",
  width: 600,
  height: 400,
  sources: [
    { type: "image/avif", srcset: "/s.avif 480w, /l.avif 600w" },
    { type: "image/webp", srcset: "/s.webp 480w, /l.webp 600w" },
  ],
};

const htmlOf = (props: ImageProps): string => t(Image(props));

describe("<Image>", () => {
  it("is a picture with a source for each format and the original, with its size, and loads late", () => {
    const sizes = 'sizes="auto, (min-width: 600px) 600px, 100vw"';
    assert.equal(
      htmlOf({ src: PHOTO, alt: "A harbour" }),
      `<picture><source type="image/avif" srcset="/s.avif 480w, /l.avif 600w" ${sizes}>` +
        `<source type="image/webp" srcset="/s.webp 480w, /l.webp 600w" ${sizes}>` +
        '<img alt="A harbour" width="600" height="400" loading="lazy" decoding="async" src="/photo.jpg"></picture>',
    );
  });

  it("is an img without versions, and for a URL", () => {
    assert.equal(
      htmlOf({
        src: "/a.png",
        width: 3,
        height: 2,
        alt: "",
        loading: "eager",
        fetchpriority: "high",
        class: ["a", "b"],
        id: "i",
      }),
      '<img id="i" class="a b" alt="" width="3" height="2" loading="eager" decoding="async" fetchpriority="high" src="/a.png">',
    );
    assert.doesNotMatch(htmlOf({ src: { ...PHOTO, sources: [] }, alt: "" }), /picture|source/);
  });

  it("keeps the ratio if one side is given", () => {
    assert.match(htmlOf({ src: PHOTO, alt: "", width: 300 }), /<img alt="" width="300" height="200"/);
    assert.match(htmlOf({ src: PHOTO, alt: "", height: 100 }), /<img alt="" width="150" height="100"/);
    assert.match(htmlOf({ src: PHOTO, alt: "", sizes: "50vw" }), /sizes="50vw"/);
  });

  it("escapes its attributes, and runs no script of a URL", () => {
    const html = htmlOf({ src: "javascript:alert(1)", width: 1, height: 1, alt: '"><script>' });
    assert.doesNotMatch(html, /javascript:|<script>/);
  });

  it("requires both sides for a URL", () => {
    assert.throws(
      () => htmlOf({ src: "/a.png", alt: "" } as ImageProps),
      (error) => error instanceof SvcError && error.code === "SVC_DEFINITION" && /width and height/.test(error.message),
    );
  });
});
