/** `<Image>`: an image that loads late, in the best format and width for the browser, and whose place is free before it has loaded. */
import type { Markup } from "../../jsx/element.ts";
import type { ClassValue, StyleValue } from "../../../platform/shared/html/class-style.ts";
import { classText, styleText } from "../../../platform/shared/html/class-style.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { defaultSizes, imageSize } from "../../../platform/shared/html/image-size.ts";
import type { ImageSource } from "../../../platform/shared/image-source.ts";
import { Html } from "../html.ts";
import { at, url } from "../write.ts";

interface CommonProps {
  /** The text for visitors who do not see the image; `""` for decoration. */
  alt: string;
  /**
   * Width of the image on the page, as in `<img sizes>`: `"(min-width: 60rem) 50vw, 100vw"`. Browsers choose a version by it.
   * Default: the width that the page gives to a lazy image, at most its own.
   */
  sizes?: string;
  /** Default `"lazy"`: when the visitor comes near. Use `"eager"` for an image that is visible at once. */
  loading?: "lazy" | "eager";
  fetchpriority?: "high" | "low" | "auto";
  id?: string;
  class?: ClassValue;
  style?: StyleValue;
}

export type ImageProps = CommonProps &
  (
    | {
        /** An image imported with `?image`. */
        src: ImageSource;
        /** CSS pixels. Default: the image's own width, or the one that fits the height. */
        width?: number;
        height?: number;
      }
    | {
        /** URL of an image. Its size is not known, so give both sides. */
        src: string;
        width: number;
        height: number;
      }
  );

/**
 * Renders `<img>` with its size, `loading` and `decoding`, and for an imported image with versions, a `<picture>` around it with one
 * `<source>` for each format.
 * @throws SvcError `SVC_DEFINITION` without a width and a height
 * @example
 * import photo from "./photo.jpg?image";
 * <Image src={photo} alt="The harbour" sizes="(min-width: 60rem) 50vw, 100vw" />
 */
export function Image(props: ImageProps): Markup {
  const { src, alt, loading = "lazy" } = props;
  const size = sizeOf(props);
  const sources = typeof src === "string" ? [] : src.sources;
  const sizes = props.sizes ?? defaultSizes(loading, size.width);
  return new Html(() => {
    const before = [
      at(' id="', props.id),
      at(' class="', classText(props.class) || undefined),
      at(' style="', styleText(props.style) || undefined),
    ].join("");
    // Safari applies `loading` only if it comes before `src`.
    const image = `<img${before}${at(' alt="', alt)}${at(' width="', size.width)}${at(' height="', size.height)}${at(' loading="', loading)} decoding="async"${at(' fetchpriority="', props.fetchpriority)}${url(' src="', typeof src === "string" ? src : src.src)}>`;
    if (sources.length === 0) return image;
    const versions = sources.map(
      ({ type, srcset }) => `<source${at(' type="', type)}${at(' srcset="', srcset)}${at(' sizes="', sizes)}>`,
    );
    return `<picture>${versions.join("")}${image}</picture>`;
  });
}

function sizeOf({ src, width, height }: ImageProps): { width: number; height: number } {
  const size = imageSize({ src, width, height });
  if (size) return size;
  throw new SvcError(
    "SVC_DEFINITION",
    `<Image src=${JSON.stringify(src)}>: the size of a URL is not known. Give width and height, or import the file with ?image`,
  );
}
