/**
 * Detects a file's type by its first bytes: the types that browsers display or execute, and those that forms commonly receive. Types
 * without a signature stay undetected. Source: WHATWG MIME Sniffing section 6, and the specifications of the formats.
 */

/** Number of bytes that detection needs. */
export const SNIFFED_BYTES = 64;

/** Types and the first bytes of their files, as hex; `..` is any byte. */
const SIGNATURES: readonly (readonly [type: string, hex: string])[] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "474946383761"],
  ["image/gif", "474946383961"],
  ["image/webp", "52494646........57454250"],
  ["image/avif", "........6674797061766966"],
  ["image/bmp", "424d"],
  ["image/x-icon", "00000100"],
  ["application/pdf", "255044462d"],
  ["application/zip", "504b0304"],
  ["application/zip", "504b0506"],
  ["application/gzip", "1f8b08"],
  ["application/vnd.rar", "526172211a07"],
  ["application/x-7z-compressed", "377abcaf271c"],
  ["application/vnd.microsoft.portable-executable", "4d5a"],
  ["application/x-executable", "7f454c46"],
  ["application/wasm", "0061736d"],
  ["audio/mpeg", "494433"],
  ["audio/wav", "52494646........57415645"],
  ["audio/ogg", "4f67675300"],
  ["video/webm", "1a45dfa3"],
  ["video/mp4", "........66747970"],
];

/** Formats that are ZIP archives and have the first bytes of ZIP. */
const ZIPPED =
  /^application\/(?:zip|epub\+zip|java-archive|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\..+)$/;

/** Markup that a browser would execute; no form that expects another type wants it. */
const MARKUP = /^(?:<!doctype html|<html|<script|<svg|<\?xml)/i;

/** @returns the type that the bytes indicate; undefined if none is known. */
function sniff(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, SNIFFED_BYTES)).toString("hex");
  const found = SIGNATURES.find(([, signature]) => new RegExp(`^${signature}`).test(hex));
  if (found) return found[0];
  const text = Buffer.from(head)
    .toString("latin1")
    .replace(/^(?:\xef\xbb\xbf)?\s*/, "");
  if (!MARKUP.test(text)) return undefined;
  return /^(?:<svg|<\?xml)/i.test(text) ? "image/svg+xml" : "text/html";
}

/** Whether the bytes are consistent with the declared type: bytes with the signature of another type are not. */
export function mayBe(declared: string, head: Uint8Array): boolean {
  const shown = sniff(head);
  if (shown === undefined) return !SIGNATURES.some(([type]) => type === declared);
  if (shown === declared) return true;
  if (shown === "application/zip") return ZIPPED.test(declared);
  if (shown === "image/svg+xml") return /^(?:application|text)\/xml$|\+xml$/.test(declared);
  if (shown === "video/mp4") return /^(?:audio|video)\/(?:mp4|quicktime|x-m4a|3gpp)$|^image\/hei[cf]$/.test(declared);
  return shown === "video/webm" && /^(?:audio|video)\/(?:webm|x-matroska)$/.test(declared);
}

/** Whether a type is in the allowed list: `image/png`, or `image/*`. */
export function isAllowedType(type: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => one === type || (one.endsWith("/*") && type.startsWith(one.slice(0, -1))));
}
