/** Keys and comparisons that give nothing away by the time they take; the site's own secret on disk. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../shared/errors.ts";
import { BoundedMap } from "../shared/bounded-map.ts";
import { remembered } from "../shared/memoize.ts";
import { HmacKey } from "./hmac.ts";

/** Compares two texts in constant time. Hashed first, since timingSafeEqual wants equal lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The site's secrets: the first signs and seals, each of them verifies and opens. So a secret is replaced without voiding
 * what it has signed: the new one goes to the front, the old one stays until that has run out.
 */
export type Secrets = readonly [current: string, ...previous: string[]];

/** HMAC-SHA256 in base64url. `purpose` keeps a value signed for one use from being taken for another. */
export function sign([secret]: Secrets, purpose: string, value: string): string {
  return keyOf(secret).sign(`${purpose}\0${value}`);
}

/** By secret: a process knows its own, and those before it. */
const keys = new Map<string, HmacKey>();

function keyOf(secret: string): HmacKey {
  let key = keys.get(secret);
  if (!key) keys.set(secret, (key = new HmacKey(secret)));
  return key;
}

const GENERATION = 1000;
/** Longer values are never looked at twice. */
const MAX_KEPT_LENGTH = 256;

/**
 * Signatures checked lately with one secret for one purpose: a visitor's cookie comes with every request. Who sends others can
 * push them out, and then they are made again. By secret, then by purpose: both are texts that are known already, where one of all
 * three would be put together each time.
 */
const recentOf = remembered((_secret) => remembered((_purpose) => new BoundedMap<Buffer>(GENERATION)));

/** Bytes of what `sign` makes, for a value that is likely to come again. */
function signAgain(secret: string, purpose: string, value: string): Buffer {
  const recent = recentOf(secret)(purpose);
  const known = recent.get(value);
  if (known !== undefined) return known;
  const signature = Buffer.from(sign([secret], purpose, value));
  if (value.length <= MAX_KEPT_LENGTH) recent.set(value, signature);
  return signature;
}

/** Of a signature in base64url. */
export const SIGNATURE_LENGTH = 43;
/** The signature that is judged, as bytes. */
const judged = Buffer.alloc(SIGNATURE_LENGTH);

/** Whether one of the secrets has signed the value. Told in constant time; how long signatures are is no secret. */
export function isSigned(secrets: Secrets, purpose: string, value: string, signature: string): boolean {
  // One that leaves bytes of the signature before is none; one that doesn't fit is cut, and no letter of more bytes is in any.
  if (signature.length !== SIGNATURE_LENGTH || judged.write(signature) !== SIGNATURE_LENGTH) return false;
  for (const secret of secrets) if (timingSafeEqual(judged, signAgain(secret, purpose, value))) return true;
  return false;
}

const SECRET_FILE = "secret";

/** Shorter than this, and a secret can be guessed offline from one signed cookie; ours have 64 characters. */
export const MIN_SECRET_LENGTH = 16;

/**
 * The site's secret: read from the data directory, made there (readable by its owner only) when there is none.
 * Processes that start at once agree on one.
 * @throws SvcError `SVC_CONFIG` when the file holds no secret: signing with an empty key would let anyone sign.
 */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, SECRET_FILE);
  const secret = readSecret(file) ?? createSecret(dataDir, file);
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new SvcError(
    "SVC_CONFIG",
    `${file} holds ${secret.length} characters; a secret has at least ${MIN_SECRET_LENGTH}. Delete the file to get a new one.`,
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

/** Written whole under a name of its own, then linked: no other process ever reads half a secret. @returns whoever's came first. */
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
