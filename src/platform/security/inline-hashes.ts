/** Hashes by which the policy of an HTML file allows its inline scripts and styles: a file has no nonce. */
import { createHash } from "node:crypto";

const INLINE = /<(script|style)\b[^>]*>([^]*?)<\/\1\s*>/gi;

/** Hash of the text of an inline script or style for a policy: CSP3 section 2.3.1. */
export function inlineHash(code: string): string {
  return `sha256-${createHash("sha256").update(code).digest("base64")}`;
}

/**
 * The hashes of all inline scripts and styles that an author has written into a file.
 * @param html the file. Browsers read its line ends as `\n`.
 */
export function inlineHashes(html: string): string[] {
  const texts = html.replaceAll(/\r\n?/g, "\n").matchAll(INLINE);
  return [...new Set([...texts].flatMap(([, , code = ""]) => (code === "" ? [] : [inlineHash(code)])))];
}
