/**
 * Files from memory. A folder is read once into a map from name to file, so no path is ever joined from input; variants
 * made at build (`x.js.br`, `x.js.gz`) are chosen by what the client accepts.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { chooseEncoding } from "./accept-encoding.ts";
import type { Context, Result } from "./types.ts";

export interface StaticFile {
  type: string;
  /** Strong entity tag of the plain bytes; each variant has its own (RFC 9110 section 8.8.3.3). */
  etag: string;
  plain: Uint8Array;
  br: Uint8Array | undefined;
  gzip: Uint8Array | undefined;
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
 * files and folders, such as `.env` and `.git`, which nobody means to publish; `.well-known` (RFC 8615) is meant.
 */
export function loadFolder(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, entry);
    const name = entry.split(sep).join("/");
    if (isHidden(name) || isVariant(path) || !statSync(path).isFile()) continue;
    files.set(name, loadFile(path));
  }
  return files;
}

function isHidden(name: string): boolean {
  return name.split("/").some((part, at) => part.startsWith(".") && !(at === 0 && part === ".well-known"));
}

/** Whether this is another file, prepared; an archive that stands for itself is not. */
function isVariant(path: string): boolean {
  return /\.(?:br|gz)$/.test(path) && existsSync(path.slice(0, path.lastIndexOf(".")));
}

function loadFile(path: string): StaticFile {
  const prepared = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix) : undefined);
  return staticFile(
    readFileSync(path),
    TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    prepared(".br"),
    prepared(".gz"),
  );
}

export function staticFile(plain: Uint8Array, type: string, br?: Uint8Array, gzip?: Uint8Array): StaticFile {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { plain, type, etag, br, gzip };
}

/** Answers GET and HEAD for a file: 304, one byte range, or the best variant. */
export function serveFile(ctx: Context, file: StaticFile, cacheControl: string): Result {
  const headers = ["cache-control", cacheControl, "vary", "accept-encoding"];
  const partial = partOf(ctx, file, headers);
  if (partial) return partial;
  const { body, etag, encoding } = chooseVariant(file, ctx.header("accept-encoding"));
  headers.push("etag", etag);
  if (matchesTag(ctx.header("if-none-match"), etag)) return { status: 304, headers, body: null };
  headers.push("content-type", file.type, "accept-ranges", "bytes");
  if (encoding) headers.push("content-encoding", encoding);
  return { status: 200, headers, body };
}

/** A range is of the plain bytes. Preconditions come first, and HEAD has no ranges (RFC 9110 sections 13.2.2 and 14.2). */
function partOf(ctx: Context, file: StaticFile, headers: readonly string[]): Result | undefined {
  const range = ctx.header("range");
  if (range === undefined || ctx.method !== "GET" || !isRangeCurrent(ctx, file)) return undefined;
  if (matchesTag(ctx.header("if-none-match"), file.etag)) return undefined;
  return rangeResult(range, file, [...headers, "etag", file.etag, "content-type", file.type, "accept-ranges", "bytes"]);
}

/** RFC 9110 section 13.1.2: weak comparison, lists and `*`. */
function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header === etag || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*")
  );
}

function isRangeCurrent(ctx: Context, file: StaticFile): boolean {
  const condition = ctx.header("if-range");
  return condition === undefined || condition === file.etag;
}

/** One range only; several, or a unit we don't know, are answered with the whole file as the RFC allows. */
function rangeResult(range: string, file: StaticFile, headers: readonly string[]): Result | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  // "9-5" is no range, so it is as if none had been asked for (RFC 9110 section 14.1.1).
  if (match[1] !== "" && match[2] !== "" && Number(match[2]) < Number(match[1])) return undefined;
  const size = file.plain.byteLength;
  const first = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (first >= size) return { status: 416, headers: ["content-range", `bytes */${size}`], body: null };
  return {
    status: 206,
    headers: [...headers, "content-range", `bytes ${first}-${last}/${size}`],
    body: file.plain.subarray(first, last + 1),
  };
}

interface Variant {
  body: Uint8Array;
  etag: string;
  encoding?: string;
}

function chooseVariant(file: StaticFile, accept: string | undefined): Variant {
  const encoding = chooseEncoding(accept, { br: file.br !== undefined, gzip: file.gzip !== undefined });
  const body = encoding && file[encoding];
  return encoding && body ? variant(file, encoding, body) : { body: file.plain, etag: file.etag };
}

/** Same tag for other bytes would let a client join a range of the plain file to the start of a compressed one. */
function variant(file: StaticFile, encoding: string, body: Uint8Array): Variant {
  return { body, encoding, etag: `${file.etag.slice(0, -1)}-${encoding}"` };
}
