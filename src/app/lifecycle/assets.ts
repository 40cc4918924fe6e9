/**
 * Files of the server: runtime assets, chunks of the app and its public files. Listed and loaded once; no request path is ever looked up
 * on disk (except in development, where chunks come from the development host).
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFolder, loadFolder, staticFile, type StaticFile } from "../../platform/http/response/static-files.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { EMPTY_MANIFEST, UNBUILT_MANIFEST, type Manifest } from "../../platform/shared/manifest.ts";
import { ASSETS_DIR, DEV_ASSETS_DIR } from "../../platform/package/package-root.ts";
import { STATIC_INDEX } from "../../platform/shared/wire.ts";
import type { DevSupport, BootOptions } from "../options.ts";

/** Inlined into pages, never requested. */
const INLINE = { stub: "stub.js", swap: "swap.js" } as const;

/** A page from `svc build --static`. */
export interface ExportedPage {
  readonly path: string;
  readonly body: Uint8Array;
  readonly hashes: readonly string[];
}

export interface PublicFile {
  readonly file: StaticFile;
  /** Whether its name contains a hash of its content, as in `asset("/app.css")`. */
  readonly isHashed: boolean;
}

export interface Assets {
  /** Manifest of the build; in development the current one. */
  manifest(): Manifest | Promise<Manifest>;
  /** `loader.js`, `core.js`, … by name. */
  readonly assets: ReadonlyMap<string, StaticFile>;
  /** A chunk by kind and file name, `counter-1a2b3c4d.js`. */
  chunk(kind: "handler" | "asset", name: string): Promise<StaticFile | undefined>;
  /** Public files at the start, by path without the first slash. */
  readonly publicNames: Iterable<string>;
  /** A public file by path without the first slash. */
  publicFile(name: string): PublicFile | undefined;
  /** Inline script of interactive pages. @throws SvcError `SVC_CONFIG` if the package was not built. */
  stub(): string;
  /** Inline script of pages with deferred content. @throws as `stub` */
  swap(): string;
  /** Undefined in production. */
  readonly dev: DevSupport | undefined;
  /** Set while pages are exported. */
  readonly exporting: BootOptions["exporting"];
  /** Exported pages to serve. */
  readonly exported: readonly ExportedPage[];
}

/** @param rendersUnbuilt whether pages with browser code render without a build; otherwise they fail. */
export function loadAssets(where: BootOptions, rendersUnbuilt: boolean): Assets {
  const { dist, dev } = where;
  // About forty, of which a page needs two or three.
  const assets = new Map([...listFolder(ASSETS_DIR), ...(dev ? loadFolder(DEV_ASSETS_DIR) : [])]);
  const inline = { stub: assets.get(INLINE.stub), swap: assets.get(INLINE.swap) };
  for (const name of Object.values(INLINE)) assets.delete(name);
  const publicDir = where.publicDir ?? (dist && join(dist, "public"));
  const built = { handler: folder(dist, "handler"), asset: folder(dist, "asset") };
  const publicFiles = publicDir && !dev ? loadFolder(publicDir) : new Map<string, StaticFile>();
  const hashedFiles = dist && !dev ? loadFolder(join(dist, "client", "public")) : new Map<string, StaticFile>();
  const unbuilt = rendersUnbuilt ? UNBUILT_MANIFEST : EMPTY_MANIFEST;
  const manifest = dist && !dev ? readManifest(dist) : unbuilt;
  return {
    assets,
    dev,
    exporting: where.exporting,
    exported: dist === undefined || dev || where.exporting ? [] : readExported(dist),
    manifest: () => dev?.manifest() ?? manifest,
    chunk: async (kind, name) => (dev && kind === "handler" ? devChunk(dev, name) : built[kind].get(name)),
    publicNames: [...publicFiles.keys(), ...hashedFiles.keys()],
    publicFile(name) {
      // Edited while the server runs, so read for each request; the developer is the only client.
      const fixed = dev && publicDir ? loadFolder(publicDir).get(name) : publicFiles.get(name);
      const file = fixed ?? hashedFiles.get(name);
      return file && { file, isHashed: fixed === undefined };
    },
    stub: once(() => inlineText(inline.stub)),
    swap: once(() => inlineText(inline.swap)),
  };
}

function folder(dist: string | undefined, kind: string): Map<string, StaticFile> {
  return dist === undefined ? new Map() : loadFolder(join(dist, "client", kind));
}

async function devChunk(dev: DevSupport, name: string): Promise<StaticFile | undefined> {
  const match = /^([\w.-]+)\.js$/.exec(name);
  const code = match?.[1] === undefined ? undefined : await dev.chunk(match[1]);
  return code === undefined ? undefined : staticFile(Buffer.from(code), "text/javascript; charset=utf-8");
}

function readManifest(dist: string): Manifest {
  const file = join(dist, "manifest.json");
  if (!existsSync(file)) {
    throw new SvcError(
      "SVC_CONFIG",
      `${file} does not exist; run "svc build" first, or pass its output folder to start()`,
    );
  }
  // Written by svc's compiler of this version.
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

function readExported(dist: string): ExportedPage[] {
  const index = join(dist, STATIC_INDEX);
  if (!existsSync(index)) return [];
  // Written by svc's command for this build.
  const pages = JSON.parse(readFileSync(index, "utf8")) as { path: string; name: string; hashes: string[] }[];
  return pages.map(({ path, name, hashes }) => ({ path, hashes, body: readFileSync(join(dist, "static", name)) }));
}

/** Computed on first use. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

function inlineText(file: StaticFile | undefined): string {
  if (file) return Buffer.from(file.plain).toString("utf8").trim();
  throw new SvcError(
    "SVC_CONFIG",
    `The browser runtime is missing from ${ASSETS_DIR}; build the svc package ("npm run build")`,
  );
}
