/**
 * Signatures of a delivery, two schemes over one secret:
 * - `X-Svc-Signature: sha256=<hex>`: HMAC-SHA256 over the raw body, keyed by the UTF-8 bytes of the secret as written
 *   (SEED section 6, the way GitHub signs). Always the current secret only: the header holds one value.
 * - `webhook-signature: v1,<base64>`: Standard Webhooks 1.0.0, over `id.timestamp.body`; during a rotation one per secret.
 *
 * The key differs for a secret that starts with `whsec_`: there Standard Webhooks uses the decoded bytes, while
 * `X-Svc-Signature` uses the whole text.
 */
import { createHmac, randomBytes } from "node:crypto";
import { DELIVERY_HEADERS } from "../shared/wire.ts";

const STANDARD_PREFIX = "whsec_";

/** Secrets that sign now: the current one, and the one before it while the overlap lasts. */
export interface SigningSecrets {
  current: string | undefined;
  previous: string | undefined;
}

/** Value of `X-Svc-Signature`. */
export function bodySignature(secret: string, body: string | Uint8Array): string {
  return `sha256=${createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex")}`;
}

/** One signature of `webhook-signature`. */
export function standardSignature(
  secret: string,
  id: string,
  timestampSeconds: number | string,
  body: string | Uint8Array,
): string {
  const mac = createHmac("sha256", standardKey(secret)).update(`${id}.${timestampSeconds}.`).update(body);
  return `v1,${mac.digest("base64")}`;
}

/** Headers that sign one attempt; without a secret only those that name it. */
export function signatureHeaders(
  id: string,
  timestampMs: number,
  body: string,
  secrets: SigningSecrets,
): Record<string, string> {
  const seconds = Math.floor(timestampMs / 1000);
  const headers: Record<string, string> = {
    [DELIVERY_HEADERS.standardId]: id,
    [DELIVERY_HEADERS.standardTimestamp]: String(seconds),
  };
  if (secrets.current === undefined) return headers;
  const signing = [secrets.current, secrets.previous].filter((secret) => secret !== undefined);
  headers[DELIVERY_HEADERS.signature] = bodySignature(secrets.current, body);
  headers[DELIVERY_HEADERS.standardSignature] = signing
    .map((secret) => standardSignature(secret, id, seconds, body))
    .join(" ");
  return headers;
}

/** A fresh secret in the form Standard Webhooks libraries take: 32 random bytes. */
export function newSecret(): string {
  return STANDARD_PREFIX + randomBytes(32).toString("base64");
}

/** What is wrong with a secret, or undefined. */
export function secretProblem(secret: string): string | undefined {
  if (!/^[\x21-\x7e]{8,256}$/.test(secret)) return "must be 8 to 256 visible ASCII characters";
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const base64 = secret.slice(STANDARD_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  // Node ignores what is no base64; a key silently cut short would sign what no receiver can verify.
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === base64.replace(/=+$/, "");
  if (isBase64 && bytes.length >= 16) return undefined;
  return `starts with "${STANDARD_PREFIX}" and must then hold the base64 of at least 16 bytes`;
}

function standardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");
}
