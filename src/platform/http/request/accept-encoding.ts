/** Parses the `Accept-Encoding` header (RFC 9110 section 12.5.3). */

import { readQualities } from "./weighted-list.ts";

/** Browsers of one kind send the same header with every request. */
let latest = { header: "", quality: readQualities("") };

function qualitiesOf(header: string): ReadonlyMap<string, number> {
  if (header !== latest.header) latest = { header, quality: readQualities(header) };
  return latest.quality;
}

export type Encoding = "br" | "gzip";

/**
 * The best available encoding that the client accepts; undefined for the plain bytes. Plain bytes are also sent if the client excludes
 * them (`identity;q=0`): it may be able to use them, and a 406 would not help it (section 12.4.1).
 */
export function chooseEncoding(
  header: string | undefined,
  has: Readonly<Record<Encoding, boolean>>,
): Encoding | undefined {
  if (header === undefined) return undefined;
  const quality = qualitiesOf(header);
  const rank = (name: Encoding): number => (has[name] ? (quality.get(name) ?? quality.get("*") ?? 0) : 0);
  const [br, gzip] = [rank("br"), rank("gzip")];
  if (br > 0 && br >= gzip) return "br";
  return gzip > 0 ? "gzip" : undefined;
}
