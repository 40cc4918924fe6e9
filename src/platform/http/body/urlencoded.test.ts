import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlencodedFields } from "./urlencoded.ts";

const MEGABYTE = 1024 * 1024;
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Least processor time of several calls, in milliseconds. Other processes do not count. */
function costMs(body: Uint8Array): number {
  const costs = Array.from({ length: 6 }, () => {
    const start = process.cpuUsage();
    urlencodedFields(body);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
}

describe("the fields of an urlencoded form", () => {
  it("have spaces for plus signs in names and values, and keep encoded plus signs", () => {
    assert.deepEqual(urlencodedFields(bytes("a+b=c++d&e=%2B+%C3%BC&+=")), [
      ["a b", "c  d"],
      ["e", "+ ü"],
      [" ", ""],
    ]);
  });

  it("leave the bytes of the body as they are", () => {
    const body = bytes("a=b+c");
    urlencodedFields(body);
    assert.equal(Buffer.from(body).toString(), "a=b+c");
  });

  it("take about as long for a megabyte of plus signs as for a megabyte of letters", () => {
    const letters = costMs(bytes(`a=${"x".repeat(MEGABYTE)}`));
    const signs = costMs(bytes(`a=${"+".repeat(MEGABYTE)}`));
    assert.ok(signs < 5 * letters + 5, `${signs} ms, and ${letters} ms for letters`);
  });
});
