/**
 * Serves files from memory. A folder is listed once into a map from name to file, so a request never determines a path on disk. Files are
 * read at once or at their first use. The build's compressed variants (`x.js.br`, `x.js.gz`) are selected by `Accept-Encoding`.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { extname, sep } from "node:path";
import { listFiles } from "../../security/list-files.ts";
import { chooseEncoding } from "../request/accept-encoding.ts";
import { judgePreconditions } from "../request/preconditions.ts";
import { readRanges, rangesResult } from "./ranges.ts";
import { problem } from "./response.ts";
import type { Context, Result } from "../types.ts";

export interface StaticFile {
  readonly type: string;
  /** Strong entity tag of the plain bytes; each variant has its own (RFC 9110 section 8.8.3.3). */
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly br: Uint8Array | undefined;
  readonly gzip: Uint8Array | undefined;
  /** Time of the last change; undefined for content that is not a file. */
  readonly modifiedMs?: number | undefined;
  /** The same as an HTTP date. */
  readonly lastModified?: string | undefined;
}

/** For fixed names: cached, but revalidated each time. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
/** For names with a content hash, whose content never changes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".gif": "image/gif",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".otf": "font/otf",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "application/xml; charset=utf-8",
  ".pdf": "application/pdf",
  ".webmanifest": "application/manifest+json",
};

/**
 * Reads all files below a folder; names have forward slashes. A missing folder is empty. Excludes hidden files and folders, such as `.env`
 * and `.git`, except `.well-known` (RFC 8615). Also excludes symbolic links out of the folder, and links to folders, which may form a
 * cycle.
 */
export function loadFolder(folder: string): Map<string, StaticFile> {
  return filesOf(folder, loadFile);
}

/**
 * As `loadFolder`, but reads each file at its first use: for a folder that does not change while the server runs, and of which a site
 * needs few files.
 */
export function listFolder(folder: string): Map<string, StaticFile> {
  return filesOf(folder, (path, paths) => new ListedFile(() => loadFile(path, paths), typeOf(path)));
}

function filesOf(
  folder: string,
  fileOf: (path: string, paths: ReadonlySet<string>) => StaticFile,
): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  const root = realpathSync(folder) + sep;
  const found = [...listFiles(folder)].filter(({ path, isLink }) => !isLink || leadsInto(root, path));
  const paths = new Set(found.map(({ path }) => path));
  for (const { name, path } of found) {
    if (!isHidden(name) && !isVariant(path, paths)) files.set(name, fileOf(path, paths));
  }
  return files;
}

function leadsInto(root: string, link: string): boolean {
  return existsSync(link) && realpathSync(link).startsWith(root) && statSync(link).isFile();
}

function isHidden(name: string): boolean {
  return name.split("/").some((part, at) => part.startsWith(".") && !(at === 0 && part === ".well-known"));
}

/** Whether this is the compressed variant of another file, and not an archive of its own. */
function isVariant(path: string, paths: ReadonlySet<string>): boolean {
  return /\.(?:br|gz)$/.test(path) && paths.has(path.slice(0, path.lastIndexOf(".")));
}

/** @param paths all existing files; checking the disk for each variant would take a third of the loading time. */
function loadFile(path: string, paths: ReadonlySet<string>): StaticFile {
  const prepared = (suffix: string) => (paths.has(path + suffix) ? readFileSync(path + suffix) : undefined);
  const modifiedMs = statSync(path).mtimeMs;
  const lastModified = new Date(modifiedMs).toUTCString();
  return {
    ...staticFile(readFileSync(path), typeOf(path), prepared(".br"), prepared(".gz")),
    modifiedMs,
    lastModified,
  };
}

function typeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
}

class ListedFile implements StaticFile {
  readonly type: string;
  readonly #load: () => StaticFile;
  #loaded: StaticFile | undefined;

  constructor(load: () => StaticFile, type: string) {
    this.#load = load;
    this.type = type;
  }

  get etag(): string {
    return this.#file.etag;
  }

  get plain(): Uint8Array {
    return this.#file.plain;
  }

  get br(): Uint8Array | undefined {
    return this.#file.br;
  }

  get gzip(): Uint8Array | undefined {
    return this.#file.gzip;
  }

  get modifiedMs(): number | undefined {
    return this.#file.modifiedMs;
  }

  get lastModified(): string | undefined {
    return this.#file.lastModified;
  }

  get #file(): StaticFile {
    return (this.#loaded ??= this.#load());
  }
}

export function staticFile(plain: Uint8Array, type: string, br?: Uint8Array, gzip?: Uint8Array): StaticFile {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { plain, type, etag, br, gzip };
}

/** Answers GET and HEAD for a file: 304, 412, byte ranges, or the best variant. */
export function serveFile(ctx: Context, file: StaticFile, cacheControl: string): Result {
  const range = ctx.method === "GET" ? ctx.header("range") : undefined;
  const isPart = range !== undefined && isRangeCurrent(ctx, file);
  // Ranges refer to the plain bytes.
  const { body, etag, encoding } = isPart ? plainOf(file) : chooseVariant(file, ctx.header("accept-encoding"));
  const headers = ["cache-control", cacheControl, "vary", "accept-encoding", "etag", etag];
  const verdict = judgePreconditions((name) => ctx.header(name), { etag, modifiedMs: file.modifiedMs });
  if (verdict === 304) return { status: 304, headers, body: null };
  if (verdict === 412)
    return problem(412, "SVC_PRECONDITION", "The file has changed since the requested version. Fetch it again");
  if (file.lastModified !== undefined) headers.push("last-modified", file.lastModified);
  headers.push("accept-ranges", "bytes");
  const ranges = isPart ? readRanges(range, file.plain.byteLength) : undefined;
  if (ranges) return rangesResult(ranges, { bytes: file.plain, type: file.type }, headers);
  headers.push("content-type", file.type);
  if (encoding) headers.push("content-encoding", encoding);
  return { status: 200, headers, body };
}

/** A date is not a strong validator for a part of the bytes, so a request with a date gets the whole file. */
function isRangeCurrent(ctx: Context, file: StaticFile): boolean {
  const condition = ctx.header("if-range");
  return condition === undefined || condition === file.etag;
}

interface Variant {
  body: Uint8Array;
  etag: string;
  encoding?: string;
}

/** Cached per file. */
const variants = { br: new WeakMap<StaticFile, Variant>(), gzip: new WeakMap<StaticFile, Variant>() };

function chooseVariant(file: StaticFile, accept: string | undefined): Variant {
  const encoding = chooseEncoding(accept, { br: file.br !== undefined, gzip: file.gzip !== undefined });
  const body = encoding && file[encoding];
  if (!encoding || !body) return plainOf(file);
  const known = variants[encoding].get(file);
  if (known) return known;
  const made = variant(file, encoding, body);
  variants[encoding].set(file, made);
  return made;
}

function plainOf({ plain, etag }: StaticFile): Variant {
  return { body: plain, etag };
}

/** With the same tag, a client could append a range of the plain file to the start of a compressed one. */
function variant(file: StaticFile, encoding: string, body: Uint8Array): Variant {
  return { body, encoding, etag: `${file.etag.slice(0, -1)}-${encoding}"` };
}
