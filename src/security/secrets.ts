/** Keys and comparisons that give nothing away by the time they take; the site's own secret on disk. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Compares two texts in constant time. Hashed first, since timingSafeEqual wants equal lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** HMAC-SHA256 in base64url. `purpose` keeps a value signed for one use from being taken for another. */
export function sign(secret: string, purpose: string, value: string): string {
  return createHmac("sha256", secret).update(`${purpose}\0${value}`, "utf8").digest("base64url");
}

export function isSigned(secret: string, purpose: string, value: string, signature: string): boolean {
  return isEqualSecret(signature, sign(secret, purpose, value));
}

const SECRET_FILE = "secret";

/**
 * The site's secret: read from the data directory, made there (readable by its owner only) when there is none.
 * Two processes that start at once agree: the file is created exclusively, the loser reads it.
 */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, SECRET_FILE);
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}
