/** Reads request bodies: checks limits before reading, requires UTF-8, and compares media types without parameters. */
import { SvcError } from "../../shared/errors.ts";
import { parseJson, requireFinite, type Json } from "../../shared/json.ts";
import { remembered } from "../../shared/collections/memoize.ts";
import type { Context } from "../types.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** @throws SvcError `SVC_INVALID` when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SvcError("SVC_INVALID", "The body is not valid UTF-8", { cause });
  }
}

/** Type and subtype in lower case without parameters; undefined if absent or not a single media type (RFC 9110 section 8.3). */
export function mediaType(header: string | undefined): string | undefined {
  return header === undefined ? undefined : typeIn(header).name;
}

const typeIn = remembered((header) => {
  const match = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;[^,]*)?$/.exec(header.trim());
  return { name: match?.[1]?.toLowerCase() };
});

/** A charset other than UTF-8, if the header names one. */
export function foreignCharset(header: string | undefined): string | undefined {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(header ?? "")?.[1];
  return charset !== undefined && !/^utf-?8$/i.test(charset) ? charset : undefined;
}

/**
 * Checks that the request's content type is one of `allowed` and that the body is not compressed.
 * @throws SvcError `SVC_CONTENT_TYPE`
 */
export function requireMediaType(ctx: Context, allowed: readonly string[]): string {
  const type = mediaType(ctx.header("content-type"));
  if (type === undefined || !allowed.includes(type)) {
    throw new SvcError("SVC_CONTENT_TYPE", `Unsupported content type; allowed: ${allowed.join(", ")}`);
  }
  const encoding = ctx.header("content-encoding");
  if (encoding !== undefined && encoding !== "identity") {
    throw new SvcError("SVC_CONTENT_TYPE", "Unsupported content encoding; send the body uncompressed");
  }
  return type;
}

/** Rejects a body by its announced length, before reading it. @throws SvcError `SVC_TOO_LARGE` */
export function requireLength(ctx: Context, limitBytes: number): void {
  const length = Number(ctx.header("content-length") ?? 0);
  if (length > limitBytes) throw tooLarge(limitBytes);
}

export function tooLarge(limitBytes: number): SvcError {
  return new SvcError("SVC_TOO_LARGE", `Payload too large; at most ${limitBytes} bytes are allowed`);
}

/** A strict JSON body (docs/reference/http.md section 1) of at most `maxNodes` values. @throws SvcError `SVC_CONTENT_TYPE`, `SVC_TOO_LARGE`, `SVC_INVALID` */
export async function readJson(ctx: Context, limitBytes: number, maxNodes?: number): Promise<Json> {
  requireJson(ctx, limitBytes);
  const value = jsonIn(await ctx.bytes(limitBytes), maxNodes);
  requireFinite(value);
  return value;
}

/** Checks that need only the headers of a strict JSON body. @throws as `readJson` */
function requireJson(ctx: Context, limitBytes: number): void {
  requireMediaType(ctx, ["application/json"]);
  requireUtf8(ctx);
  requireLength(ctx, limitBytes);
}

/** Rejects a JSON body in a charset other than UTF-8. @throws SvcError `SVC_INVALID` */
export function requireUtf8(ctx: Context): void {
  const type = ctx.header("content-type");
  const charset = type === "application/json" ? undefined : foreignCharset(type);
  if (charset !== undefined) throw new SvcError("SVC_INVALID", `The charset "${charset}" is not allowed; send UTF-8`);
}

/** @throws SvcError `SVC_INVALID` */
export function jsonIn(bytes: Uint8Array, maxNodes?: number): Json {
  return parseJson(decodeUtf8(bytes), maxNodes);
}
