/** Detects image types by their first bytes, and formats other bytes as a hex dump. Pure. */

/** Larger images are only offered for download. */
export const MAX_IMAGE_BYTES = 10_000_000;
/** Number of bytes in a hex dump. */
export const HEX_BYTES = 256;
const HEX_ROW = 16;

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** First bytes of images; `..` is any byte. */
const MAGIC: readonly (readonly [hex: string, type: ImageType])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["474946383761", "image/gif"],
  ["474946383961", "image/gif"],
  ["52494646........57454250", "image/webp"],
];

/** @param head the first bytes: at least 12, if the file is that long */
export function imageTypeOf(head: Uint8Array): ImageType | undefined {
  const begin = Buffer.from(head.subarray(0, 12)).toString("hex");
  return MAGIC.find(([magic]) => new RegExp(`^${magic}`).test(begin))?.[1];
}

/** `00000010  89 50 4e 47 …  .PNG…`, sixteen bytes per row. */
export function hexOf(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_ROW) {
    const row = [...bytes.subarray(at, at + HEX_ROW)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const shown = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    rows.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(HEX_ROW * 3 - 1)}  ${shown}`);
  }
  return rows.join("\n");
}
