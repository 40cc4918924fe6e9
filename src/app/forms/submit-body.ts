/** Reads the body of a submit: fields and files of a form, or JSON, after all checks that need no body. */
import { createHash } from "node:crypto";
import { decodeUtf8, requireLength } from "../../platform/http/body/read-body.ts";
import { readEntries, type FormEntries } from "../../platform/http/body/stream-form.ts";
import type { Context } from "../../platform/http/types.ts";
import { MAX_FILE_BYTES, type FileRule } from "../../platform/http/body/upload.ts";
import { csrfId } from "../../platform/security/csrf.ts";
import { parseJson, type Json } from "../../platform/shared/json.ts";
import { COOKIES, FORM_FIELDS, HEADERS } from "../../platform/shared/wire.ts";
import { requireHeaderToken, requireOwnOrigin, requireToken } from "../pipeline/csrf-guard.ts";
import { MAX_BODY_BYTES, MAX_NODES } from "../api/mutation-limits.ts";
import type { Call, Read } from "./submit-call.ts";

/** Checks what needs no body, then reads it; the token may be in it. */
export async function readBody(call: Call, type: string): Promise<Read> {
  const { ctx, definition, endpoints } = call;
  const { services } = endpoints;
  const maxBytes = definition.maxBytes ?? MAX_BODY_BYTES + bytesOfFiles(definition.files ?? {});
  const inHeader = ctx.header(HEADERS.csrf);
  if (type === "application/json" || inHeader !== undefined) requireHeaderToken(ctx, services);
  else {
    requireOwnOrigin(ctx, services);
    // Without svc's cookie no token is valid, so the body need not be read.
    if (csrfId(services.secrets, ctx.cookie(COOKIES.csrf)) === undefined) requireToken(ctx, services, undefined);
  }
  requireLength(ctx, maxBytes);
  if (type === "application/json") return readJsonBody(ctx, maxBytes);
  let isTrusted = inHeader !== undefined;
  const entries = await readEntries(ctx, type, {
    maxBytes,
    files: definition.files ?? {},
    onField: (field, value) => {
      if (field !== FORM_FIELDS.csrf || isTrusted) return;
      requireToken(ctx, services, value);
      isTrusted = true;
    },
    onRest: () => {
      if (!isTrusted) requireToken(ctx, services, undefined);
    },
  });
  return ofEntries(ctx, entries);
}

function bytesOfFiles(files: Readonly<Record<string, FileRule>>): number {
  return Object.values(files).reduce((sum, { maxBytes = MAX_FILE_BYTES, max = 1 }) => sum + maxBytes * max, 0);
}

async function readJsonBody(ctx: Context, maxBytes: number): Promise<Read> {
  const bytes = await ctx.bytes(maxBytes);
  const value: Json = parseJson(decodeUtf8(bytes), MAX_NODES);
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const key = ctx.header(HEADERS.idempotencyKey);
  return {
    json: value,
    fields: [],
    files: [],
    key,
    page: undefined,
    form: undefined,
    digest,
    clear: async () => undefined,
  };
}

function ofEntries(ctx: Context, { fields, files, digest, clear }: FormEntries): Read {
  const own = new Set<string>(Object.values(FORM_FIELDS));
  const of = (name: string): string | undefined => fields.find(([field]) => field === name)?.[1];
  return {
    json: undefined,
    fields: fields.filter(([field]) => !own.has(field)),
    files,
    key: ctx.header(HEADERS.idempotencyKey) ?? of(FORM_FIELDS.key),
    page: of(FORM_FIELDS.page),
    form: of(FORM_FIELDS.form),
    digest,
    clear,
  };
}
