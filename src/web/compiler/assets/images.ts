/**
 * `import photo from "./photo.jpg?image"`: the URL and size of an image, and in a build its AVIF and WebP versions in several widths. The
 * package "sharp" makes them; without it there are none. They are kept in Vite's cache, because AVIF takes seconds.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { imageSize } from "image-size";
import type { ImageSource } from "../../../platform/shared/image-source.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { ASSET_BUILD, safeName, urlOf } from "../styles/asset-config.ts";

/** Query of an import whose value is an `ImageSource`. */
export const IMAGE_QUERY = "?image";

/** The formats of the versions, the smallest first. */
const FORMATS = ["avif", "webp"] as const;
/** Widths in pixels, besides the image's own: phones, tablets, laptops, and screens with two pixels per CSS pixel. */
const WIDTHS = [480, 960, 1440, 1920];
/** Part of the cache's keys. Increase it when the same image gives other versions. */
const CACHE_VERSION = 1;
/** Drawings and animations keep their format. */
const CONVERTED = /\.(?:jpe?g|png|webp|tiff?)$/i;

type Format = (typeof FORMATS)[number];

/** Converts an image. Its type names no type of "sharp", which apps need not have installed. */
type Converter = (bytes: Uint8Array, format: Format, width: number) => Promise<Uint8Array>;

interface Version {
  readonly file: string;
  /** Path below `client`. */
  readonly name: string;
  readonly width: number;
}

export class ImageFiles {
  readonly #isBuild: boolean;
  #versions = new Map<string, Promise<ImageSource["sources"]>>();
  /** Path below `client` -> the file in the cache. */
  readonly #written = new Map<string, string>();
  readonly #load: () => Promise<Converter | undefined>;
  #converter: Promise<Converter | undefined> | undefined;

  /** @param isBuild whether images have versions; `svc dev` shows the original. @param load loads "sharp", at the first image */
  constructor(isBuild: boolean, load: () => Promise<Converter | undefined> = loadSharp) {
    this.#isBuild = isBuild;
    this.#load = load;
  }

  /**
   * @param file absolute path of the image. @param cacheDir folder that survives builds
   * @returns the module whose default export is the image. @throws SvcError `SVC128` for a file that is no image
   */
  async moduleOf(file: string, cacheDir: string): Promise<string> {
    const bytes = await readFile(file);
    const size = sizeOf(file, bytes);
    let sources = this.#versions.get(file);
    if (!sources) this.#versions.set(file, (sources = this.#sourcesOf(file, bytes, size.width, cacheDir)));
    const rest = { ...size, sources: await sources };
    if (!this.#isBuild) this.#versions.delete(file);
    return `import src from ${JSON.stringify(`${file}?url`)};\nexport default { src, ...${JSON.stringify(rest)} };\n`;
  }

  /** Writes the versions of all images. @param target folder of the files that browsers load */
  async write(target: string): Promise<void> {
    for (const [name, file] of this.#written) {
      await mkdir(path.dirname(path.join(target, name)), { recursive: true });
      await copyFile(file, path.join(target, name));
    }
  }

  /** What the developer should know: images without versions, because "sharp" is missing. */
  async hint(): Promise<string | undefined> {
    if (this.#converter === undefined || (await this.#converter)) return undefined;
    return 'Images keep their format and size, because the package "sharp" is not installed. For AVIF, WebP and smaller widths, run: npm install --save-dev sharp';
  }

  async #sourcesOf(file: string, bytes: Uint8Array, width: number, cacheDir: string): Promise<ImageSource["sources"]> {
    if (!this.#isBuild || !CONVERTED.test(file)) return [];
    const converter = await (this.#converter ??= this.#load());
    if (!converter) return [];
    const widths = [...WIDTHS.filter((one) => one < width), width];
    const sources: { type: string; srcset: string }[] = [];
    for (const format of FORMATS) {
      const versions: Version[] = [];
      for (const one of widths) versions.push(await convert(converter, { file, bytes, format, width: one, cacheDir }));
      const whole = versions.at(-1);
      // A small drawing may grow. Then browsers load the original.
      if (!whole || (await stat(whole.file)).size >= bytes.length) continue;
      for (const version of versions) this.#written.set(version.name, version.file);
      const srcset = versions.map((version) => `${urlOf(version.name)} ${version.width}w`).join(", ");
      sources.push({ type: `image/${format}`, srcset });
    }
    return sources;
  }
}

/** Size as browsers show it. @throws SvcError `SVC128` */
function sizeOf(file: string, bytes: Uint8Array): { width: number; height: number } {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    // From 5 on, the EXIF orientation exchanges the sides.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch (cause) {
    throw new SvcError(
      "SVC128",
      `SVC128 ${file}\n?image needs an image with a width and a height: ${(cause as Error).message}. Import another file with ?url.`,
      { cause },
    );
  }
}

interface Conversion {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly format: Format;
  readonly width: number;
  readonly cacheDir: string;
}

async function convert(converter: Converter, { file, bytes, format, width, cacheDir }: Conversion): Promise<Version> {
  const hash = createHash("sha256").update(`${CACHE_VERSION} ${format} ${width} `).update(bytes).digest("hex");
  const cached = path.join(cacheDir, "svc-images", `${hash}.${format}`);
  if (!existsSync(cached)) {
    await mkdir(path.dirname(cached), { recursive: true });
    const output = await converter(bytes, format, width);
    // Renamed at the end, so that an interrupted build leaves no half of a file.
    await writeFile(`${cached}.${process.pid}`, output);
    await rename(`${cached}.${process.pid}`, cached);
  }
  const name = `${ASSET_BUILD.assetsDir}/${safeName(file)}-${width}-${hash.slice(0, 8)}.${format}`;
  return { file: cached, name, width };
}

async function loadSharp(): Promise<Converter | undefined> {
  try {
    const { default: sharp } = await import("sharp");
    return (bytes, format, width) =>
      sharp(bytes).autoOrient().resize({ width, withoutEnlargement: true }).toFormat(format).toBuffer();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
