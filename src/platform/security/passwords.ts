/**
 * Password hashes with scrypt (RFC 7914) in the PHC string format. Each hash stores its parameters, so old hashes stay valid when svc raises
 * the cost.
 */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { SvcError } from "../shared/errors.ts";

/**
 * Cost of new hashes: one of OWASP's equal choices for scrypt. It takes 32 MiB, so the four hashes that Node computes at once take 128 MiB.
 */
const COST: Cost = { ln: 15, r: 8, p: 3 };
/** Costs above these are refused: a stored hash must not be able to exhaust the process. */
const MAX_COST: Cost = { ln: 18, r: 8, p: 16 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Longest password in UTF-8: longer ones only cost time. */
const MAX_BYTES = 4096;
const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{32,86})$/;

interface Cost {
  /** Binary logarithm of the CPU and memory cost. */
  readonly ln: number;
  /** Block size. */
  readonly r: number;
  /** Parallelism. */
  readonly p: number;
}

/** The result of `verifyPassword`. */
export interface PasswordCheck {
  /** Whether the password is the one that was hashed. */
  isValid: boolean;
  /** A new hash of the same password, if the password is right and the stored hash has an older cost. Store it instead. */
  rehash: string | undefined;
}

/**
 * Hashes a password for storage, off the event loop.
 * @param password any text up to 4,096 bytes; normalized to NFKC, so that equal-looking input of different keyboards is equal
 * @returns `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, 87 characters
 * @throws SvcError `SVC_INVALID` for a longer password, or an empty one
 * @example
 * const stored = await hashPassword("correct horse battery staple");
 */
export async function hashPassword(password: string): Promise<string> {
  if (!isUsable(password))
    throw new SvcError("SVC_INVALID", `A password needs 1 character or more, and at most ${MAX_BYTES} bytes`);
  const salt = randomBytes(SALT_BYTES);
  return textOf(COST, salt, await derive(password, salt, COST, HASH_BYTES));
}

/**
 * Checks a password against a stored hash, off the event loop and in constant time. Pass `undefined` if there is no such account: the check
 * then takes as long as for a wrong password, so its duration does not reveal which accounts exist.
 * @returns `rehash` is a new hash to store, if svc has raised the cost since the hash was made
 * @throws SvcError `SVC_DEFINITION` for a stored text that is not a hash of `hashPassword`
 * @example
 * const stored = await hashPassword("correct horse battery staple");
 * const { isValid, rehash } = await verifyPassword("correct horse battery staple", stored);
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<PasswordCheck> {
  const known = stored === undefined ? nobody() : parsed(stored);
  const text = isUsable(password) ? password : " ";
  const hash = await derive(text, known.salt, known.cost, known.hash.length);
  const isValid = timingSafeEqual(hash, known.hash) && stored !== undefined && isUsable(password);
  const isOld = known.cost.ln !== COST.ln || known.cost.r !== COST.r || known.cost.p !== COST.p;
  return { isValid, rehash: isValid && isOld ? await hashPassword(password) : undefined };
}

/** Not the hash of any password. */
function nobody(): Stored {
  return { cost: COST, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
}

interface Stored {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** The message never contains the text. */
function parsed(stored: string): Stored {
  const [, ln, r, p, salt, hash] = FORMAT.exec(stored) ?? [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const isWithin = cost.ln >= 1 && cost.ln <= MAX_COST.ln && cost.r >= 1 && cost.r <= MAX_COST.r && cost.p >= 1;
  if (salt === undefined || hash === undefined || !isWithin || cost.p > MAX_COST.p)
    throw new SvcError("SVC_DEFINITION", "verifyPassword got a text that is not a hash of hashPassword");
  return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

function isUsable(password: string): boolean {
  return password !== "" && Buffer.byteLength(password) <= MAX_BYTES;
}

function derive(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses to use more than 32 MiB by default; the algorithm needs 128 · N · r bytes and a little more.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** @see https://github.com/P-H-C/phc-string-format */
function textOf({ ln, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  const plain = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return `$scrypt$ln=${ln},r=${r},p=${p}$${plain(salt)}$${plain(hash)}`;
}
