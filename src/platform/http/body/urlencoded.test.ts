import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlencodedFields } from "./urlencoded.ts";

const MEGABYTE = 1024 * 1024;
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Least processor time of several calls, in milliseconds. Other processes do not count. */
async function costMs(body: Uint8Array): Promise<number> {
  let leastMs = Infinity;
  for (let calls = 0; calls < 6; calls++) {
    const start = process.cpuUsage();
    await urlencodedFields(body);
    const { user, system } = process.cpuUsage(start);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}

describe("the fields of an urlencoded form", () => {
  it("have spaces for plus signs in names and values, and keep encoded plus signs", async () => {
    assert.deepEqual(await urlencodedFields(bytes("a+b=c++d&e=%2B+%C3%BC&+=")), [
      ["a b", "c  d"],
      ["e", "+ ü"],
      [" ", ""],
    ]);
  });

  it("leave the bytes of the body as they are", async () => {
    const body = bytes("a=b+c");
    await urlencodedFields(body);
    assert.equal(Buffer.from(body).toString(), "a=b+c");
  });

  it("equal those of URLSearchParams, whichever bytes are escaped", async () => {
    const texts = ["a=%f0%9F%98%80", "%EF%BB%BFa=%EF%BB%BF", "=&&a&b==c&d=%3d%26", "a=%00%7f", "\u{1F600}=\u00fc+%2b"];
    for (const text of texts)
      assert.deepEqual(
        await urlencodedFields(bytes(text)),
        [...new URLSearchParams(text)].filter(([name]) => !name.includes("\0")),
        text,
      );
  });

  it("are refused if an escape is incomplete or no UTF-8", async () => {
    for (const text of [
      "a=%",
      "a=%4",
      "a=%4&1",
      "a=%g1",
      "a=%1g",
      "%4=1",
      "a=%ff",
      "a=%c3",
      "a=%c3&%bc=",
      "a=%ed%a0%80",
    ])
      await assert.rejects(urlencodedFields(bytes(text)), { code: "SVC_INVALID" }, text);
    await assert.rejects(urlencodedFields(Buffer.from([97, 61, 0xff])), { code: "SVC_INVALID" });
  });

  it("are at most 1,000, empty ones included", async () => {
    assert.equal((await urlencodedFields(bytes("a=1&".repeat(1000)))).length, 1000);
    for (const field of ["a=1&", "&"])
      await assert.rejects(urlencodedFields(bytes(`${field.repeat(1000)}b=2`)), { code: "SVC_TOO_LARGE" }, field);
  });

  it("let other work run between them in a large form", async () => {
    let isDone = false;
    let turns = 0;
    const form = urlencodedFields(bytes(`a=${"%41".repeat(340)}&`.repeat(999))).finally(() => (isDone = true));
    while (!isDone) {
      await new Promise(setImmediate);
      turns++;
    }
    assert.equal((await form).length, 999);
    assert.ok(turns > 20, `${turns} turns of the event loop`);
  });

  it("have names of at most 256 characters, however long their escapes", async () => {
    const name = "\u20ac".repeat(256);
    assert.deepEqual(await urlencodedFields(bytes(`${encodeURIComponent(name)}=1`)), [[name, "1"]]);
    for (const long of [`${name}a`, encodeURIComponent(`${name}a`), "%41".repeat(MEGABYTE / 3)])
      await assert.rejects(urlencodedFields(bytes(long)), { code: "SVC_INVALID" });
  });

  it("take about as long for a megabyte of escapes as for a megabyte of letters", async () => {
    const letters = await costMs(bytes(`a=${"x".repeat(MEGABYTE)}`));
    const escapes = await costMs(bytes(`a=${"%41".repeat(MEGABYTE / 3)}`));
    assert.ok(escapes < 3 * letters + 5, `${escapes} ms, and ${letters} ms for letters`);
  });

  it("take about as long for a megabyte of plus signs as for a megabyte of letters", async () => {
    const letters = await costMs(bytes(`a=${"x".repeat(MEGABYTE)}`));
    const signs = await costMs(bytes(`a=${"+".repeat(MEGABYTE)}`));
    assert.ok(signs < 5 * letters + 5, `${signs} ms, and ${letters} ms for letters`);
  });
});
