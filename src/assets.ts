/** `svckit/assets`: URLs of files in `public/`, and images in the best format and size for each browser. */
export { asset } from "./web/ssr/asset.ts";
export { Image, type ImageProps } from "./web/ssr/components/image.ts";
export type { ImageSource } from "./platform/shared/image-source.ts";
