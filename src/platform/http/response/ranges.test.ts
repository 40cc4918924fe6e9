import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readRanges, rangesResult } from "./ranges.ts";

describe("byte ranges", () => {
  it("are parsed as in the examples of RFC 9110", () => {
    for (const [header, expected] of [
      ["bytes=0-4", [[0, 4]]],
      ["Bytes=0-4", [[0, 4]]],
      [
        "bytes= 0-4 , 6-6 ",
        [
          [0, 4],
          [6, 6],
        ],
      ],
      [
        "bytes=0-0,,5-",
        [
          [0, 0],
          [5, 99],
        ],
      ],
      ["bytes=-3", [[97, 99]]],
      ["bytes=-1000", [[0, 99]]],
      ["bytes=90-1000", [[90, 99]]],
      ["bytes=100-", []],
      ["bytes=-0", []],
      ["bytes=-000", []],
      ["bytes=0-1,200-300", [[0, 1]]],
      [`bytes=${"9".repeat(400)}-`, []],
    ] as const)
      assert.deepEqual(
        readRanges(header, 100)?.map(({ first, last }) => [first, last]),
        expected,
        header,
      );
  });

  it("are ignored if they are invalid, of another unit, overlapping, unordered or too many", () => {
    const flood = Array.from({ length: 17 }, (_, at) => `${at * 2}-${at * 2}`).join(",");
    for (const header of [
      "",
      "bytes",
      "bytes=",
      "bytes=,",
      "bytes=-",
      "bytes=4-2",
      "bytes=a-b",
      "bytes=0-1,x",
      "lines=0-1",
    ])
      assert.equal(readRanges(header, 100), undefined, header);
    for (const header of ["bytes=0-4,4-5", "bytes=5-6,0-1", "bytes=0-,0-", "bytes=-5,-3", `bytes=${flood}`])
      assert.equal(readRanges(header, 100), undefined, header);
  });

  it("always yield existing bytes in order, for any input", () => {
    const bytes = Uint8Array.from({ length: 50 }, (_, at) => at);
    const spec = fc.tuple(fc.option(fc.nat(70)), fc.option(fc.nat(70))).map(([a, b]) => `${a ?? ""}-${b ?? ""}`);
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 20 }), fc.nat(50), (specs, size) => {
        const whole = { bytes: bytes.subarray(0, size), type: "text/plain" };
        const ranges = readRanges(`bytes=${specs.join(",")}`, size);
        if (!ranges) return;
        let next = 0;
        for (const { first, last } of ranges) {
          assert.ok(first >= next && last >= first && last < size);
          next = last + 1;
        }
        const { status, body } = rangesResult(ranges, whole, []);
        assert.equal(status, ranges.length === 0 ? 416 : 206);
        const [only, ...more] = ranges;
        if (only && more.length === 0) assert.deepEqual(body, whole.bytes.subarray(only.first, only.last + 1));
      }),
    );
  });
});
