/** Byte ranges: parses the `Range` header and creates the partial response (RFC 9110 section 14). */
import { randomHex } from "../../security/random.ts";
import type { Result } from "../types.ts";

/** Positions of the first and last byte, both inclusive. */
export interface ByteRange {
  first: number;
  last: number;
}

/** Viewers request few ranges; hundreds of them would be an attack (RFC 9110 section 17.15). */
const MAX_RANGES = 16;

/**
 * @returns undefined to ignore the header: another unit, not a list of ranges, or a list with overlapping or unordered ranges, for which
 * the whole is cheaper. An empty list if no range is satisfiable.
 */
export function readRanges(header: string, size: number): ByteRange[] | undefined {
  const list = /^bytes=(.*)$/i.exec(header.trim())?.[1];
  if (list === undefined) return undefined;
  const specs = list.split(",").filter((spec) => spec.trim() !== "");
  if (specs.length === 0 || specs.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = readRange(spec.trim(), size);
    if (!range) return undefined;
    if (range.first >= size) continue;
    const before = ranges.at(-1);
    if (before && range.first <= before.last) return undefined;
    ranges.push(range);
  }
  return ranges;
}

/** One of `0-4`, `95-` and `-3`. A range that ends before it starts is invalid. */
function readRange(spec: string, size: number): ByteRange | undefined {
  const [, from = "", to = ""] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "")
    return { first: to.replace(/0/g, "") === "" ? size : Math.max(0, size - Number(to)), last: size - 1 };
  const first = Number(from);
  if (to !== "" && Number(to) < first) return undefined;
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}

/** @param headers headers of the complete response, without its content type. */
export function rangesResult(
  ranges: readonly ByteRange[],
  whole: { bytes: Uint8Array; type: string },
  headers: readonly string[],
): Result {
  const size = whole.bytes.byteLength;
  const place = ({ first, last }: ByteRange): string => `bytes ${first}-${last}/${size}`;
  const [only, ...more] = ranges;
  if (!only) return { status: 416, headers: ["content-range", `bytes */${size}`], body: null };
  if (more.length === 0) {
    const body = whole.bytes.subarray(only.first, only.last + 1);
    return { status: 206, headers: [...headers, "content-type", whole.type, "content-range", place(only)], body };
  }
  // Random, so that the content can't contain it.
  const boundary = randomHex(16);
  const parts = ranges.flatMap((range) => [
    Buffer.from(`\r\n--${boundary}\r\ncontent-type: ${whole.type}\r\ncontent-range: ${place(range)}\r\n\r\n`),
    whole.bytes.subarray(range.first, range.last + 1),
  ]);
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { status: 206, headers: [...headers, "content-type", `multipart/byteranges; boundary=${boundary}`], body };
}
