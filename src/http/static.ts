/**
 * Files from memory. A folder is read once into a map from name to file, so no path is ever joined from input; variants
 * made at build (`x.js.br`, `x.js.gz`) are chosen by what the client accepts.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import type { Context, Result } from "./types.ts";

export interface StaticFile {
  type: string;
  /** Strong entity tag over the plain bytes. */
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
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "application/xml; charset=utf-8",
  ".pdf": "application/pdf",
  ".webmanifest": "application/manifest+json",
};

/** Reads every file below a folder; names use forward slashes. A folder that does not exist is empty. */
export function loadFolder(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (/\.(?:br|gz)$/.test(entry) || !statSync(join(folder, entry)).isFile()) continue;
    files.set(entry.split(sep).join("/"), loadFile(join(folder, entry)));
  }
  return files;
}

function loadFile(path: string): StaticFile {
  const variant = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix) : undefined);
  return staticFile(
    readFileSync(path),
    TYPES[extname(path)] ?? "application/octet-stream",
    variant(".br"),
    variant(".gz"),
  );
}

export function staticFile(plain: Uint8Array, type: string, br?: Uint8Array, gzip?: Uint8Array): StaticFile {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { plain, type, etag, br, gzip };
}

/** Answers GET and HEAD for a file: 304, one byte range, or the best variant. */
export function serveFile(ctx: Context, file: StaticFile, cacheControl: string): Result {
  const headers = ["etag", file.etag, "cache-control", cacheControl, "vary", "accept-encoding"];
  if (matchesTag(ctx.header("if-none-match"), file.etag)) return { status: 304, headers, body: null };
  headers.push("content-type", file.type, "accept-ranges", "bytes");
  const range = ctx.header("range");
  if (range !== undefined && isRangeCurrent(ctx, file)) {
    const partial = rangeResult(range, file, headers);
    if (partial) return partial;
  }
  const { body, encoding } = chooseVariant(file, ctx.header("accept-encoding"));
  if (encoding) headers.push("content-encoding", encoding);
  return { status: 200, headers, body };
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
  const size = file.plain.byteLength;
  const first = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (first >= size || first > last) return { status: 416, headers: ["content-range", `bytes */${size}`], body: null };
  return {
    status: 206,
    headers: [...headers, "content-range", `bytes ${first}-${last}/${size}`],
    body: file.plain.subarray(first, last + 1),
  };
}

function chooseVariant(file: StaticFile, accept: string | undefined): { body: Uint8Array; encoding?: string } {
  if (accept === undefined || (!file.br && !file.gzip)) return { body: file.plain };
  const quality = acceptedEncodings(accept);
  const rank = (name: string): number => quality.get(name) ?? quality.get("*") ?? 0;
  const br = file.br ? rank("br") : 0;
  const gzip = file.gzip ? rank("gzip") : 0;
  if (br > 0 && br >= gzip) return { body: file.br as Uint8Array, encoding: "br" };
  return gzip > 0 ? { body: file.gzip as Uint8Array, encoding: "gzip" } : { body: file.plain };
}

/** RFC 9110 section 12.5.3: name -> quality; `br;q=0` means never. */
export function acceptedEncodings(header: string): Map<string, number> {
  const quality = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    if (name !== "") quality.set(name, weight === undefined ? 1 : Number(weight));
  }
  return quality;
}
