/** Settings of Vite that give an imported file the same URL in the server's code, in browser chunks and in stylesheets. */
import path from "node:path";
import type { InlineConfig } from "vite";
import { BASE_PATH, PATHS } from "../../../platform/shared/wire.ts";

/** Folder of the files, below `client` in the build and below the base path in URLs. */
const FOLDER = path.posix.basename(PATHS.asset);

/** Prefix of a chunk's name, which keeps stylesheets of the same name apart. It is not part of the file's name. */
const PREFIX = /^svc-\d+-/;

/** The name of a stylesheet's chunk. @param at its index */
export function chunkNameOf(file: string, at: number): string {
  return `svc-${at}-${path.basename(file).replace(/\.\w+$/, "")}`;
}

/** The URL of a file in the build. @param fileName its path below `client` */
export function urlOf(fileName: string): string {
  return `${BASE_PATH}/${fileName}`;
}

/** The files are served under one path, and the policy allows no `data:` fonts, so none is inlined unless its import says so. */
export const ASSET_BUILD = { assetsInlineLimit: 0, assetsDir: FOLDER } as const;

/** Name of a file in URLs, without its folder and extension. */
export function safeName(file: string): string {
  const safe = path
    .parse(file)
    .name.replace(PREFIX, "")
    .replaceAll(/[^\w.-]+/g, "-");
  return safe || "file";
}

/** Part of the output options. */
export const ASSET_OUTPUT = {
  hashCharacters: "hex",
  assetFileNames: ({ names }: { names: readonly string[] }): string => {
    return `${FOLDER}/${safeName(names[0] ?? "")}-[hash:8][extname]`;
  },
} as const;

export const ASSET_URLS: NonNullable<InlineConfig["experimental"]> = {
  renderBuiltUrl: (fileName, { type }) => (type === "asset" ? urlOf(fileName) : undefined),
};

/** The same for chunks of `svc dev`, where files have no hash and are served by their path in the app (dev-styles.ts). */
export const DEV_ASSET_OUTPUT = {
  assetFileNames: ({ originalFileNames: [file = ""] }: { originalFileNames: readonly string[] }): string =>
    path.posix.join(path.posix.relative(BASE_PATH, PATHS.devFiles), file),
} as const;
