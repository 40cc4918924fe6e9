/** Size of an image on a page, for the server and for images that the browser creates. */
import type { ImageSource } from "../image-source.ts";

interface SizedImage {
  src: string | ImageSource;
  width?: number | undefined;
  height?: number | undefined;
}

/** @returns CSS pixels. A missing side follows from the image's own size; undefined if that is unknown. */
export function imageSize({ src, width, height }: SizedImage): { width: number; height: number } | undefined {
  if (width !== undefined && height !== undefined) return { width, height };
  if (typeof src === "string") return undefined;
  if (width !== undefined) return { width, height: Math.round((width * src.height) / src.width) };
  if (height !== undefined) return { width: Math.round((height * src.width) / src.height), height };
  return { width: src.width, height: src.height };
}

/** The attribute `sizes` of an image without one of its own. */
export function defaultSizes(loading: string, width: number): string {
  return `${loading === "lazy" ? "auto, " : ""}(min-width: ${width}px) ${width}px, 100vw`;
}
