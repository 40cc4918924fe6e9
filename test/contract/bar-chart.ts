/** A bar chart as a 24-bit PNG (RFC 2083), so that people can distinguish pictures. */
import { crc32, deflateSync } from "node:zlib";

const BLUE = [0x2a, 0x5b, 0xc4] as const;
const WHITE = [0xff, 0xff, 0xff] as const;
const BAR = 24;
const GAP = 8;

/** @param heights in pixels, one per bar */
export function barChart(heights: readonly number[]): Buffer {
  const width = GAP + heights.length * (BAR + GAP);
  const height = Math.max(...heights) + 2 * GAP;
  const lines = Array.from({ length: height }, (_, y) => {
    const pixels = Array.from({ length: width }, (__, x) => {
      const bar = heights[Math.floor(x / (BAR + GAP))] ?? 0;
      const isBar = x % (BAR + GAP) >= GAP && y >= height - GAP - bar && y < height - GAP;
      return isBar ? BLUE : WHITE;
    });
    // The filter type 0: none.
    return [0, ...pixels.flat()];
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.from(lines.flat()))), chunk("IEND")];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
