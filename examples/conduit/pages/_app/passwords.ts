/** Hashes and verifies passwords: scrypt with a random salt (RFC 7914). */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const KEY_BYTES = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("hex")}.${(await derive(password, salt, KEY_BYTES)).toString("hex")}`;
}

/** Takes as long for an unknown user, so that the duration does not reveal whether an account exists. */
export async function isPassword(password: string, kept = ""): Promise<boolean> {
  const [salt = "", key = ""] = kept.split(".");
  const derived = await derive(password, Buffer.from(salt, "hex"), KEY_BYTES);
  const expected = Buffer.from(key, "hex");
  return expected.length === KEY_BYTES && timingSafeEqual(derived, expected);
}
