/**
 * Files from memory. A folder is listed once in a map from name to file, so no path is ever joined from input, and read then or
 * as each file is first asked for; variants made at build (`x.js.br`, `x.js.gz`) are chosen by what the client accepts.
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
  /** When the file was changed; undefined of what is no file. */
  readonly modifiedMs?: number | undefined;
  /** The same as a date of HTTP. */
  readonly lastModified?: string | undefined;
}

/** Fixed names: kept, but asked about each time. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
/** Names with a content hash: never change. */
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
 * Reads every file below a folder; names use forward slashes. A folder that does not exist is empty. Left out: hidden
 * files and folders, such as `.env` and `.git`, which nobody means to publish, but for `.well-known` (RFC 8615); and links
 * that lead out of the folder, or to another folder, which may lead round in a circle.
 */
export function loadFolder(folder: string): Map<string, StaticFile> {
  return filesOf(folder, loadFile);
}

/**
 * As `loadFolder`, but each file is read when something of it is first asked for: of a folder that nobody writes to while
 * a server runs, and of whose files a site needs few.
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

/** Whether this is another file, prepared; an archive that stands for itself is not. */
function isVariant(path: string, paths: ReadonlySet<string>): boolean {
  return /\.(?:br|gz)$/.test(path) && paths.has(path.slice(0, path.lastIndexOf(".")));
}

/** @param paths of all files there are: asking the disk for each would take a third of it. */
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
  // A range is of the plain bytes.
  const { body, etag, encoding } = isPart ? plainOf(file) : chooseVariant(file, ctx.header("accept-encoding"));
  const headers = ["cache-control", cacheControl, "vary", "accept-encoding", "etag", etag];
  const verdict = judgePreconditions((name) => ctx.header(name), { etag, modifiedMs: file.modifiedMs });
  if (verdict === 304) return { status: 304, headers, body: null };
  if (verdict === 412) return problem(412, "SVC_PRECONDITION", "The file is not in the version that was asked for");
  if (file.lastModified !== undefined) headers.push("last-modified", file.lastModified);
  headers.push("accept-ranges", "bytes");
  const ranges = isPart ? readRanges(range, file.plain.byteLength) : undefined;
  if (ranges) return rangesResult(ranges, { bytes: file.plain, type: file.type }, headers);
  headers.push("content-type", file.type);
  if (encoding) headers.push("content-encoding", encoding);
  return { status: 200, headers, body };
}

/** A date is no strong validator of the bytes that a client has a part of, so by a date it gets the whole. */
function isRangeCurrent(ctx: Context, file: StaticFile): boolean {
  const condition = ctx.header("if-range");
  return condition === undefined || condition === file.etag;
}

interface Variant {
  body: Uint8Array;
  etag: string;
  encoding?: string;
}

/** Made once of each file. */
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

/** Same tag for other bytes would let a client join a range of the plain file to the start of a compressed one. */
function variant(file: StaticFile, encoding: string, body: Uint8Array): Variant {
  return { body, encoding, etag: `${file.etag.slice(0, -1)}-${encoding}"` };
}
