import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { siteHttp } from "../adapters.test.ts";
import { readForm } from "./memory-form.ts";
import { PartGate, readBoundary } from "./multipart.ts";
import { readEntries } from "./stream-form.ts";
import { json } from "../response/response.ts";

const MEGABYTE = 1024 * 1024;
const TYPE = "multipart/form-data; boundary=xx";
const part = (name: string, content: string): string =>
  `--xx\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const parts = (count: number): string =>
  `${Array.from({ length: count }, (_, at) => part(`f${at}`, "1")).join("")}--xx--\r\n`;

const http = siteHttp({
  routes: {
    "POST /memory": async (ctx) => json(Object.keys((await readForm(ctx, MEGABYTE)).fields).length),
    "POST /stream": async (ctx) => {
      const form = await readEntries(ctx, "multipart/form-data", { maxBytes: MEGABYTE, files: {} });
      await form.clear();
      return json(form.fields.length);
    },
  },
});

async function post(path: string, body: string): Promise<[status: number, reported: unknown]> {
  const response = await http.fetch(
    new Request(`http://a${path}`, { method: "POST", headers: { "content-type": TYPE }, body }),
  );
  return [response.status, await response.json()];
}

/** Processor time of one request in milliseconds. Other processes do not count. */
async function costMs(path: string, body: string): Promise<number> {
  const start = process.cpuUsage();
  await post(path, body);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

for (const path of ["/memory", "/stream"])
  describe(`a multipart form read at ${path}`, () => {
    it("has at most 1,000 parts, however short they are", async () => {
      assert.deepEqual(await post(path, parts(1000)), [200, 1000]);
      for (const body of [parts(1001), parts(9000), "--xx\r\n".repeat(MEGABYTE / 6 - 1), "\r\n--xx".repeat(20_000)]) {
        const [status, reported] = await post(path, body);
        assert.deepEqual([status, (reported as { code: string }).code], [413, "SVC_TOO_LARGE"]);
      }
    });

    it("takes no longer for a megabyte of boundaries than for a megabyte of text", async () => {
      const text = `${part("a", "x".repeat(MEGABYTE - 200))}--xx--`;
      await costMs(path, text);
      const plain = await costMs(path, text);
      const flood = await costMs(path, "--xx\r\n".repeat(MEGABYTE / 6 - 1));
      assert.ok(flood < plain * 5 + 50, `${flood} ms, and ${plain} ms for text`);
    });
  });

describe("the parts of a multipart body", () => {
  it("are counted across the edges of its chunks", () => {
    const body = Buffer.from("\r\n--xx\r\n".repeat(1001));
    for (const size of [1, 2, 3, 5, 7, 1000]) {
      const gate = new PartGate(readBoundary(TYPE));
      for (let at = 0; at < body.length; at += size) gate.accept(body.subarray(at, at + size));
      assert.throws(() => gate.accept(Buffer.from("\r\n--xx")), { code: "SVC_TOO_LARGE" }, `chunks of ${size}`);
    }
  });
});
