/** Randomness for identifiers and nonces, from the system's generator. */
import { randomBytes, randomFillSync } from "node:crypto";
import { BASE32, idTime } from "../shared/id-time.ts";

/** Random bytes from one system call for many uses: a call per nonce would cost more than the nonce. */
const pool = Buffer.allocUnsafe(32_768);
let used = pool.length;

/** @returns position of the bytes in the pool, because a slice would cost more than encoding them. */
function take(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

function textOf(bytes: number, encoding: "base64" | "base64url" | "hex"): string {
  const at = take(bytes);
  return pool.toString(encoding, at, at + bytes);
}

/** `bytes` random bytes in lower-case hex. */
export function randomHex(bytes: number): string {
  // `toString` on the pool would silently return fewer bytes than requested.
  if (bytes > pool.length) return randomBytes(bytes).toString("hex");
  return textOf(bytes, "hex");
}

/** Texts encoded at a time: a substring costs a tenth of a separate encoding. A retained substring retains all of them. */
const AT_ONCE = 16;

/** Generates random texts of one length. */
class RandomTexts {
  readonly #length: number;
  readonly #encoding: "base64" | "base64url" | "hex";
  #text = "";
  #used = 0;

  /** @param length in characters; for base64 a multiple of four, so that there is no padding */
  constructor(length: number, encoding: "base64" | "base64url" | "hex") {
    this.#length = length;
    this.#encoding = encoding;
  }

  next(): string {
    if (this.#used === this.#text.length) {
      const bytes = this.#encoding === "hex" ? this.#length / 2 : (this.#length / 4) * 3;
      this.#text = textOf(bytes * AT_ONCE, this.#encoding);
      this.#used = 0;
    }
    this.#used += this.#length;
    return this.#text.slice(this.#used - this.#length, this.#used);
  }
}

const nonces = new RandomTexts(24, "base64");

/** A CSP nonce: 18 random bytes in base64. */
export function createNonce(): string {
  return nonces.next();
}

export const SALT_LENGTH = 8;
const salts = new RandomTexts(SALT_LENGTH, "base64url");

/** Random characters of base64url that make a signature differ each time. */
export function createSalt(): string {
  return salts.next();
}

const ids = new RandomTexts(32, "hex");

/** 16 random bytes in lower-case hex, for ids that each request needs. */
export function createId(): string {
  return ids.next();
}

/** Characters of an id after its time; an id has 26. */
const TAIL_LENGTH = 16;

let lastMs = 0;
let lastTail = "";

/**
 * A run's id: `g_` and 26 characters, of which the first ten are the time, so that ids sort by age. Within one millisecond the random tail
 * is incremented, so ids of one process never repeat or go back.
 */
export function createGraphId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    const at = take(TAIL_LENGTH);
    lastTail = Array.from(pool.subarray(at, at + TAIL_LENGTH), (byte) => BASE32[byte & 31]).join("");
  } else {
    lastTail = increment(lastTail);
  }
  return `g_${idTime(lastMs)}${lastTail}`;
}

function increment(tail: string): string {
  let at = tail.length - 1;
  while (at > 0 && tail[at] === "Z") at--;
  const next = BASE32[(BASE32.indexOf(tail[at] as string) + 1) % 32];
  return tail.slice(0, at) + next + "0".repeat(tail.length - at - 1);
}
