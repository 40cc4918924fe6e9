/**
 * Form bodies: urlencoded and multipart (parsed by `@fastify/busboy`), into fields and files in memory up to a limit.
 */
import { SvcError } from "../../shared/errors.ts";
import { baseName } from "./file-name.ts";
import { malformed, PartGate, readBoundary, slicesOf } from "./multipart.ts";
import { requireLength, requireMediaType, tooLarge } from "./read-body.ts";
import { invalidName, isName, MAX_FIELDS, tooManyFields, urlencodedBytes, urlencodedFields } from "./urlencoded.ts";
import type { Context } from "../types.ts";

export interface FormFile {
  /** File name on the visitor's machine, for display; not a path. Without folders, control characters and direction marks. */
  name: string;
  type: string;
  bytes: Uint8Array;
}

export interface FormData {
  /** Value of each field; the last value of a repeated field. Null prototype. */
  fields: Readonly<Record<string, string>>;
  /** Files by field name; a file input left empty is not in it. Null prototype. */
  files: Readonly<Record<string, FormFile>>;
}

const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"];

/** @param limitBytes of the whole body. @throws SvcError `SVC_CONTENT_TYPE`, `SVC_TOO_LARGE`, `SVC_INVALID` */
export async function readForm(ctx: Context, limitBytes: number): Promise<FormData> {
  const type = requireMediaType(ctx, FORM_TYPES);
  requireLength(ctx, limitBytes);
  if (type === "multipart/form-data")
    return parseMultipart(await ctx.bytes(limitBytes), ctx.header("content-type") ?? "", limitBytes);
  const bytes = await urlencodedBytes(ctx, limitBytes);
  return {
    fields: Object.assign(empty<string>(), Object.fromEntries(await urlencodedFields(bytes))),
    files: empty(),
  };
}

function empty<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

async function parseMultipart(body: Uint8Array, contentType: string, limitBytes: number): Promise<FormData> {
  const boundary = readBoundary(contentType);
  new PartGate(boundary).accept(body);
  // Loaded with the first upload, because it has 20 modules.
  const { Busboy } = await import("@fastify/busboy");
  const { headers } = boundary;
  let isOver = false;
  const parser = new Busboy({ headers, limits: { parts: MAX_FIELDS, fieldSize: limitBytes, fileSize: limitBytes } });
  const form = new Promise<FormData>((resolve, reject) => {
    const fields = empty<string>();
    const files = empty<FormFile>();
    const fail = (error: unknown): void =>
      reject(error instanceof SvcError ? error : malformed((error as Error).message, error));
    parser.on("field", (rawName: string | undefined, value) => {
      const name = rawName ?? "";
      if (isName(name)) fields[name] = value;
      else fail(invalidName());
    });
    parser.on("file", (rawName: string | undefined, stream, filename, _encoding, type) => {
      const name = rawName ?? "";
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("limit", () => fail(tooLarge(limitBytes)));
      stream.on("error", fail);
      stream.on("end", () => {
        const bytes = Buffer.concat(chunks);
        if (!filename && bytes.length === 0) return;
        if (isName(name)) files[name] = { name: baseName(filename ?? ""), type, bytes };
        else fail(invalidName());
      });
    });
    parser.on("partsLimit", () => fail(tooManyFields()));
    parser.on("error", fail);
    parser.on("finish", () => resolve({ fields, files }));
  }).finally(() => (isOver = true));
  // Settles while the body is still being fed.
  form.catch(() => undefined);
  for await (const slice of slicesOf(body)) {
    if (isOver) break;
    parser.write(slice);
  }
  parser.end();
  return form;
}
