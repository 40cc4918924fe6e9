/** `image.js`: `<Image>` that the browser creates, with the elements and attributes of those from the server. */
import { defaultSizes, imageSize } from "../../../platform/shared/html/image-size.ts";
import type { ImageSource } from "../../../platform/shared/image-source.ts";
import { C, S, U } from "../bindings/attr.ts";
import { I, N, V, type View } from "../bindings/create.ts";
import { A } from "../runtime/core.ts";

interface ImageProps {
  readonly src: string | ImageSource;
  readonly alt: string;
  readonly width?: number;
  readonly height?: number;
  readonly sizes?: string;
  readonly loading?: string;
  readonly fetchpriority?: string;
  readonly id?: string;
  readonly class?: unknown;
  readonly style?: unknown;
}

const imageOf = (src: string | ImageSource, props: ImageProps): Element => {
  const size = (): { width: number; height: number } => {
    const { width, height } = props;
    const found = imageSize({ src, width, height });
    if (found) return found;
    throw new Error(`<Image src=${JSON.stringify(src)}>: the size of a URL is not known. Give width and height.`);
  };
  const loading = (): string => props.loading ?? "lazy";
  const image = document.createElement("img");
  A(image, "id", () => props.id);
  C(image, () => props.class);
  S(image, () => props.style);
  A(image, "alt", () => props.alt);
  A(image, "width", () => size().width);
  A(image, "height", () => size().height);
  // Safari applies `loading` only if it comes before `src`.
  A(image, "loading", loading);
  A(image, "decoding", () => "async");
  A(image, "fetchpriority", () => props.fetchpriority);
  U(image, "src", () => (typeof src === "string" ? src : src.src));
  if (typeof src === "string" || src.sources.length === 0) return image;
  const picture = document.createElement("picture");
  for (const { type, srcset } of src.sources) {
    const source = document.createElement("source");
    source.type = type;
    source.srcset = srcset;
    A(source, "sizes", () => props.sizes ?? defaultSizes(loading(), size().width));
    picture.append(source);
  }
  picture.append(image);
  return picture;
};

export const Image = (props: ImageProps): View =>
  V(() => {
    const range = N();
    I(range, () => {
      const { src } = props;
      return V(() => imageOf(src, props));
    });
    return range;
  });
