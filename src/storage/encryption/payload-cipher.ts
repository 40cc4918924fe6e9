/**
 * Encrypts payloads before they reach the database: AES-256-GCM (NIST SP 800-38D), bound to the place of the value, so that it can't be
 * copied to another row. Decision 116.
 *
 * Text: `svc:enc:1:<key id>:<base64url(salt 12 | nonce 12 | ciphertext | tag 16)>`. The salt derives a key from the named one: a writer
 * takes a new salt after 2^20 values, because with random nonces one key is safe for only 2^32 values, which a busy app writes in days.
 * A value that is stored as it is, and begins with the mark, gets a prefix, so that no caller can forge an encrypted value.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { BoundedMap } from "../../platform/shared/collections/bounded-map.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { PayloadKey } from "./payload-keys.ts";

const CIPHER = "aes-256-gcm";
const MARK = "svc:enc:";
const SEALED = `${MARK}1:`;
const ESCAPED = `${MARK}0:`;
const SALT_BYTES = 12;
const NONCE_BYTES = 12;
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES;
const TAG_BYTES = 16;
/** Values per salt. */
const MOST_PER_SALT = 2 ** 20;
/** Derived keys to remember: a database has one for each start of a process, and each million values. */
const DERIVED = 1000;
/** Nonces to draw at once. */
const NONCES = 256;
/** Marks of bytes. No key has an empty name, so 0 stands for bytes that are stored as they are. */
const BYTES_MARK = Buffer.from("\0svc:enc:1\0", "latin1");

export class PayloadCipher {
  /** Whether it encrypts new values. */
  readonly isOn: boolean;
  /** Name of the key that encrypts; empty without one. */
  readonly currentId: string;
  /** By key id. HKDF-SHA256 (RFC 5869), so that a text of any form becomes a key. */
  readonly #roots: ReadonlyMap<string, Buffer>;
  readonly #derived = new BoundedMap<Buffer>(DERIVED);
  #salt: Buffer = randomBytes(SALT_BYTES);
  #key: Buffer | undefined;
  #used = 0;
  #nonces: Buffer = Buffer.alloc(0);
  #nonceAt = 0;

  /** @param keys the first one encrypts, all of them decrypt. None: new values stay as they are. */
  constructor(keys: readonly PayloadKey[]) {
    this.isOn = keys.length > 0;
    this.currentId = keys[0]?.id ?? "";
    this.#roots = new Map(
      keys.map(({ id, secret }) => [id, Buffer.from(hkdfSync("sha256", secret, "svc payload", id, 32))]),
    );
  }

  /** `null` stays as it is: it contains nothing. @param place names the row and the column. */
  seal(value: Json, place: string): Json {
    if (value === null) return null;
    if (this.isOn) return this.#sealText(JSON.stringify(value), place);
    return typeof value === "string" ? escaped(value) : value;
  }

  /** @throws SvcError `SVC_PAYLOAD_KEY` */
  open(value: Json, place: string): Json {
    if (typeof value !== "string" || !isMarked(value)) return value;
    return isSealed(value) ? (JSON.parse(this.#openText(value, place)) as Json) : unescaped(value);
  }

  sealText(text: string, place: string): string {
    return this.isOn ? this.#sealText(text, place) : escaped(text);
  }

  /** @throws SvcError `SVC_PAYLOAD_KEY` */
  openText(text: string, place: string): string {
    return isSealed(text) ? this.#openText(text, place) : unescaped(text);
  }

  sealBytes(data: Uint8Array, place: string): Uint8Array {
    if (!this.isOn) return hasMark(data) ? Buffer.concat([BYTES_MARK, Buffer.of(0), data]) : data;
    const id = Buffer.from(this.currentId, "latin1");
    return Buffer.concat([BYTES_MARK, Buffer.of(id.length), id, ...this.#seal(data, place)]);
  }

  /** @throws SvcError `SVC_PAYLOAD_KEY` */
  openBytes(data: Uint8Array, place: string): Uint8Array {
    if (!hasMark(data)) return data;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const start = BYTES_MARK.length + 1 + (bytes[BYTES_MARK.length] ?? 0);
    const id = keyOfBytes(data);
    return id === undefined ? bytes.subarray(start) : this.#open(id, bytes.subarray(start), place);
  }

  #sealText(text: string, place: string): string {
    return `${SEALED}${this.currentId}:${Buffer.concat(this.#seal(text, place)).toString("base64url")}`;
  }

  #openText(text: string, place: string): string {
    const colon = text.indexOf(":", SEALED.length);
    const bytes = Buffer.from(text.slice(colon + 1), "base64url");
    return this.#open(text.slice(SEALED.length, colon), bytes, place).toString("utf8");
  }

  #seal(value: string | Uint8Array, place: string): Buffer[] {
    const key = this.#writerKey();
    const nonce = this.#nonce();
    const cipher = createCipheriv(CIPHER, key, nonce);
    cipher.setAAD(bound(place));
    const text = typeof value === "string" ? cipher.update(value, "utf8") : cipher.update(value);
    return [this.#salt, nonce, text, cipher.final(), cipher.getAuthTag()];
  }

  /** Random bytes for many at once: each call costs as much as the encryption. */
  #nonce(): Buffer {
    if (this.#nonceAt >= this.#nonces.length) {
      this.#nonces = randomBytes(NONCE_BYTES * NONCES);
      this.#nonceAt = 0;
    }
    return this.#nonces.subarray(this.#nonceAt, (this.#nonceAt += NONCE_BYTES));
  }

  #writerKey(): Buffer {
    if (this.#key && this.#used++ < MOST_PER_SALT) return this.#key;
    this.#salt = randomBytes(SALT_BYTES);
    this.#used = 1;
    this.#key = this.#derive(this.currentId, this.#salt);
    return this.#key;
  }

  #open(id: string, bytes: Buffer, place: string): Buffer {
    if (!this.#roots.has(id)) throw missing(id, place);
    if (bytes.length < HEAD_BYTES + TAG_BYTES) throw damaged(id, place);
    const key = this.#derive(id, bytes.subarray(0, SALT_BYTES));
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(SALT_BYTES, HEAD_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(bound(place));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const start = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
    try {
      return Buffer.concat([start, decipher.final()]);
    } catch (cause) {
      throw damaged(id, place, cause);
    }
  }

  #derive(id: string, salt: Buffer): Buffer {
    const name = `${id}:${salt.toString("latin1")}`;
    const known = this.#derived.get(name);
    if (known) return known;
    const key = createHmac("sha256", this.#roots.get(id) as Buffer)
      .update(salt)
      .digest();
    this.#derived.set(name, key);
    return key;
  }
}

/** @returns the id of the key that encrypted a value; undefined: it is stored as it is. */
export function keyOfText(value: unknown): string | undefined {
  if (typeof value !== "string" || !isSealed(value)) return undefined;
  return value.slice(SEALED.length, value.indexOf(":", SEALED.length));
}

/** As `keyOfText`. */
export function keyOfBytes(data: Uint8Array): string | undefined {
  const length = hasMark(data) ? (data[BYTES_MARK.length] ?? 0) : 0;
  if (length === 0) return undefined;
  const start = BYTES_MARK.length + 1;
  return Buffer.from(data.subarray(start, start + length)).toString("latin1");
}

/** Whether a value is an encrypted one, or a plain one that begins like it. */
export function isMarked(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(MARK);
}

export function isPayloadKeyError(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === "SVC_PAYLOAD_KEY";
}

function isSealed(text: string): boolean {
  return text.startsWith(SEALED) && text.includes(":", SEALED.length);
}

function escaped(text: string): string {
  return text.startsWith(MARK) ? ESCAPED + text : text;
}

function unescaped(text: string): string {
  return text.startsWith(ESCAPED) ? text.slice(ESCAPED.length) : text;
}

function hasMark(data: Uint8Array): boolean {
  return data.length > BYTES_MARK.length && BYTES_MARK.every((byte, at) => data[at] === byte);
}

/** PostgreSQL can't store U+0000 and lone surrogates, so names are bound as it returns them; Buffer.from replaces the latter. */
function bound(place: string): Buffer {
  return Buffer.from(place.includes("\0") ? place.replaceAll("\0", "\ufffd") : place);
}

function missing(id: string, place: string): SvcError {
  return new SvcError(
    "SVC_PAYLOAD_KEY",
    `${place} is encrypted with the payload key "${id}", which ${VARIABLES.payloadKeys} does not contain. Add the key at the end of the list and restart`,
  );
}

function damaged(id: string, place: string, cause?: unknown): SvcError {
  return new SvcError(
    "SVC_PAYLOAD_KEY",
    `${place} can't be decrypted with the payload key "${id}". Make sure that ${VARIABLES.payloadKeys} contains the key that had this name when the value was written; if it does, the stored value was changed or copied from another row`,
    { cause },
  );
}
