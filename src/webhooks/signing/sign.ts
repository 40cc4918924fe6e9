/**
 * Signatures of a delivery, two schemes over one secret:
 * - `X-Svc-Signature: sha256=<hex>`: HMAC-SHA256 over the raw body, keyed by the UTF-8 bytes of the secret as written, as GitHub signs.
 * Always the current secret only: the header has one value.
 * - `webhook-signature: v1,<base64>`: Standard Webhooks 1.0.0, over `id.timestamp.body`; during a rotation one for each secret.
 * The keys differ for a secret that starts with `whsec_`: Standard Webhooks uses the decoded bytes, `X-Svc-Signature` the whole text.
 */
import { randomBytes } from "node:crypto";
import { HmacKey } from "../../platform/security/hmac.ts";
import { DELIVERY_HEADERS } from "../../platform/shared/wire.ts";

const STANDARD_PREFIX = "whsec_";

/** The secrets that sign now: the current one, and the previous one during the overlap. */
export interface SigningSecrets {
  current: string | undefined;
  previous: string | undefined;
}

/** One secret, its keys prepared once. */
export class SigningKey {
  readonly #body: HmacKey;
  readonly #standard: HmacKey;

  constructor(secret: string) {
    this.#body = new HmacKey(secret);
    this.#standard = secret.startsWith(STANDARD_PREFIX) ? new HmacKey(bytesOf(secret)) : this.#body;
  }

  /** Value of `X-Svc-Signature`. */
  body(body: string | Uint8Array): string {
    return `sha256=${this.#body.digest(body, "hex")}`;
  }

  /** One signature of `webhook-signature`. */
  standard(id: string, timestampSeconds: number | string, body: string | Uint8Array): string {
    const head = `${id}.${timestampSeconds}.`;
    const whole = typeof body === "string" ? head + body : Buffer.concat([Buffer.from(head), body]);
    return `v1,${this.#standard.digest(whole, "base64")}`;
  }
}

/** Keys to cache: more registrations than most apps have. */
const MOST_KEYS = 1000;
const keys = new Map<string, SigningKey>();

/** Caches the keys of the app's own secrets. */
function keyOf(secret: string): SigningKey {
  let key = keys.get(secret);
  if (key) return key;
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.set(secret, (key = new SigningKey(secret)));
  return key;
}

/** Headers that sign an attempt; without a secret only those that identify it. */
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
  const key = keyOf(secrets.current);
  const standard = key.standard(id, seconds, body);
  headers[DELIVERY_HEADERS.signature] = key.body(body);
  headers[DELIVERY_HEADERS.standardSignature] =
    secrets.previous === undefined ? standard : `${standard} ${keyOf(secrets.previous).standard(id, seconds, body)}`;
  return headers;
}

/** A new secret in the format of Standard Webhooks: 32 random bytes. */
export function newSecret(): string {
  return STANDARD_PREFIX + randomBytes(32).toString("base64");
}

/** Shorter secrets can be guessed from one signed delivery. */
const LEAST_CHARACTERS = 8;
const LEAST_BYTES = 16;

/** Whether a secret is too short to prove anything, in particular an empty one. Node ignores invalid base64. */
export function isGuessable(secret: string): boolean {
  if (secret.trim().length < LEAST_CHARACTERS) return true;
  return secret.startsWith(STANDARD_PREFIX) && bytesOf(secret).length < LEAST_BYTES;
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64");
}

/** The problem with a secret, or undefined. */
export function secretProblem(secret: string): string | undefined {
  if (!/^[\x21-\x7e]{8,256}$/.test(secret)) return "must be 8 to 256 visible ASCII characters";
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const base64 = secret.slice(STANDARD_PREFIX.length);
  const bytes = bytesOf(secret);
  // A shortened key would sign what no receiver can verify.
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === base64.replace(/=+$/, "");
  if (isBase64 && bytes.length >= LEAST_BYTES) return undefined;
  return `starts with "${STANDARD_PREFIX}" and must continue with the base64 of at least 16 bytes`;
}
