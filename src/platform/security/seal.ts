/**
 * Seals values that leave the site and come back, so that nobody can read or change them: AES-256-GCM (NIST SP 800-38D) with keys derived
 * from the site's secrets.
 *
 * `base64url(salt 12 | nonce 12 | text | tag 16)`. Each seal has its own key, derived from the salt: with random nonces one key is safe
 * for only 2^32 seals, which a busy site reaches within a secret's lifetime.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { Secrets } from "./secrets.ts";

const CIPHER = "aes-256-gcm";
const SALT_BYTES = 12;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Unsealed {
  text: string;
  /** Whether the current secret sealed it; otherwise it should be sealed again. */
  isCurrent: boolean;
}

export class Sealer {
  readonly #purpose: Buffer;
  /** One for each secret. */
  readonly #roots: readonly Buffer[];

  /** @param purpose a value sealed for one purpose can't be opened for another. */
  constructor(secrets: Secrets, purpose: string) {
    this.#purpose = Buffer.from(purpose);
    // HKDF-SHA256 (RFC 5869), so that the key is unrelated to the secret's signatures.
    this.#roots = secrets.map((secret) => Buffer.from(hkdfSync("sha256", secret, "svc seal", purpose, 32)));
  }

  seal(text: string): string {
    const head = randomBytes(SALT_BYTES + NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keyOf(this.#roots[0] as Buffer, head), head.subarray(SALT_BYTES));
    cipher.setAAD(this.#purpose);
    return Buffer.concat([head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString(
      "base64url",
    );
  }

  /** Undefined if none of the secrets sealed it for this purpose, or if it was changed. */
  unseal(rawText: string): Unsealed | undefined {
    const bytes = Buffer.from(rawText, "base64url");
    // Only the canonical spelling, so that equal seals have equal texts.
    if (bytes.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== rawText)
      return undefined;
    for (const [at, root] of this.#roots.entries()) {
      const text = this.#open(root, bytes);
      if (text !== undefined) return { text, isCurrent: at === 0 };
    }
    return undefined;
  }

  #open(root: Buffer, bytes: Buffer): string | undefined {
    const head = bytes.subarray(0, SALT_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, keyOf(root, head), head.subarray(SALT_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#purpose);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const start = decipher.update(bytes.subarray(head.length, -TAG_BYTES));
    try {
      return Buffer.concat([start, decipher.final()]).toString("utf8");
    } catch {
      // The tag does not match: another secret, another purpose, or a forgery.
      return undefined;
    }
  }
}

function keyOf(root: Buffer, head: Buffer): Buffer {
  return createHmac("sha256", root).update(head.subarray(0, SALT_BYTES)).digest();
}
