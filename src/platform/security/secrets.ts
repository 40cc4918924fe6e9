/** Signatures, constant-time comparison, and the site's secret on disk. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../shared/errors.ts";
import { BoundedMap } from "../shared/collections/bounded-map.ts";
import { remembered } from "../shared/collections/memoize.ts";
import { VARIABLES } from "../shared/wire.ts";
import { HmacKey } from "./hmac.ts";

/** Compares two texts in constant time. Hashes them first, because timingSafeEqual requires equal lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The site's secrets: the first one signs and seals; all of them verify and open. To replace a secret without invalidating its signatures,
 * put the new one first and keep the old one until they have expired.
 */
export type Secrets = readonly [current: string, ...previous: string[]];

/** HMAC-SHA256 in base64url. A value signed for one `purpose` is invalid for another. */
export function sign([secret]: Secrets, purpose: string, value: string): string {
  return keyOf(secret).sign(`${purpose}\0${value}`);
}

/** Keys by secret; a process has few. */
const keys = new Map<string, HmacKey>();

function keyOf(secret: string): HmacKey {
  let key = keys.get(secret);
  if (!key) keys.set(secret, (key = new HmacKey(secret)));
  return key;
}

const GENERATION = 1000;
/** Longer values are not cached. */
const MAX_KEPT_LENGTH = 256;

/**
 * Recent signatures by secret and purpose: a visitor's cookie is in every request. A client that sends many values can evict others, which
 * are then signed again. The nested lookup by secret and purpose needs no concatenated key.
 */
const recentOf = remembered((_secret) => remembered((_purpose) => new BoundedMap<Buffer>(GENERATION)));

/** The result of `sign` as bytes, cached, because the value is likely to be verified again. */
function signAgain(secret: string, purpose: string, value: string): Buffer {
  const recent = recentOf(secret)(purpose);
  const known = recent.get(value);
  if (known !== undefined) return known;
  const signature = Buffer.from(sign([secret], purpose, value));
  if (value.length <= MAX_KEPT_LENGTH) recent.set(value, signature);
  return signature;
}

/** Length of a signature in base64url. */
export const SIGNATURE_LENGTH = 43;
/** Buffer for the signature being verified. */
const judged = Buffer.alloc(SIGNATURE_LENGTH);

/** Whether one of the secrets has signed the value. Compares in constant time; the length of a signature is public. */
export function isSigned(secrets: Secrets, purpose: string, value: string, signature: string): boolean {
  // A shorter text would keep bytes of the previous one, and a longer one is cut; multi-byte characters never occur in a signature.
  if (signature.length !== SIGNATURE_LENGTH || judged.write(signature) !== SIGNATURE_LENGTH) return false;
  for (const secret of secrets) if (timingSafeEqual(judged, signAgain(secret, purpose, value))) return true;
  return false;
}

const SECRET_FILE = "secret";

/** A shorter secret can be guessed offline from one signed cookie. Generated secrets have 64 characters. */
export const MIN_SECRET_LENGTH = 16;

/**
 * The site's secret: read from the data directory, or created there (readable by its owner only). Processes that start concurrently agree
 * on one.
 * @throws SvcError `SVC_CONFIG` if the file is too short: with an empty key, anybody could sign.
 */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, SECRET_FILE);
  const secret = readOrCreate(dataDir, file);
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new SvcError(
    "SVC_CONFIG",
    `The secret in ${file} is too short: ${secret.length} ${secret.length === 1 ? "character" : "characters"}, at least ${MIN_SECRET_LENGTH} required. Delete the file to create a new secret.`,
  );
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** @throws SvcError `SVC_CONFIG` if the folder can't be used */
function readOrCreate(dataDir: string, file: string): string {
  try {
    return readSecret(file) ?? createSecret(dataDir, file);
  } catch (error) {
    throw new SvcError(
      "SVC_CONFIG",
      `The data directory "${dataDir}" can't be used: ${(error as Error).message}. Set ${VARIABLES.dataDir} to a folder in which this user may write`,
      { cause: error },
    );
  }
}

/**
 * Written completely under another name, then linked, so that no process reads half a secret.
 * @returns the secret that was linked first.
 */
function createSecret(dataDir: string, file: string): string {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8").trim();
}
