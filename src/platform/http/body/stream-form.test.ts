import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { siteHttp } from "../adapters.test.ts";
import { readEntries } from "./stream-form.ts";
import { json } from "../response/response.ts";

interface Part {
  name: string;
  content: string;
  filename?: string;
  type?: string;
}

function head({ name, filename, type }: Part, boundary: string): string {
  const file = filename === undefined ? "" : `; filename="${filename}"`;
  const typed = type === undefined ? "" : `content-type: ${type}\r\n`;
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${typed}\r\n`;
}

const whole = (parts: readonly Part[], boundary: string): string =>
  `${parts.map((part) => `${head(part, boundary)}${part.content}\r\n`).join("")}--${boundary}--\r\n`;

const MAX_BYTES = 2000;

const http = siteHttp({
  routes: {
    "POST /form": async (ctx) => {
      const entries = await readEntries(ctx, "multipart/form-data", { maxBytes: MAX_BYTES, files: { a: {}, b: {} } });
      await entries.clear();
      return json(entries.digest);
    },
  },
});

async function post(body: BodyInit, boundary: string): Promise<{ status: number; reported: unknown }> {
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const init = { method: "POST", headers, body, duplex: "half" };
  const response = await http.fetch(new Request("http://a/form", init));
  return { status: response.status, reported: await response.json() };
}

const FIRST: Part = { name: "a", filename: "a.txt", type: "text/plain", content: "whole" };
const SECOND: Part = { name: "b", filename: "b.txt", type: "text/plain", content: "" };

describe("a multipart form whose second file is incomplete while the first is being written", () => {
  const text = `${head(FIRST, "x")}${FIRST.content}\r\n${head(SECOND, "x")}${"z".repeat(50)}`;
  const usual = process.env["TMPDIR"];
  let folder = "";

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-form-entries-"));
    process.env["TMPDIR"] = folder;
  });
  after(() => {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
    rmSync(folder, { recursive: true });
  });

  const arriving = (end: (controller: ReadableStreamDefaultController<Uint8Array>) => void): ReadableStream =>
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(text));
        // After the parser has received the first part.
        setImmediate(() => end(controller));
      },
    });

  it("is refused and leaves no file behind if the client disconnects", async () => {
    const { status } = await post(
      arriving((controller) => controller.error(new Error("left"))),
      "x",
    );
    assert.deepEqual([status, readdirSync(folder)], [400, []]);
  });

  it("is refused and leaves no file behind if it grows too large", async () => {
    const { status } = await post(
      arriving((controller) => controller.enqueue(new Uint8Array(MAX_BYTES))),
      "x",
    );
    assert.deepEqual([status, readdirSync(folder)], [413, []]);
  });
});

describe("the digest of a multipart form", () => {
  const digest = async (parts: readonly Part[], boundary = "x"): Promise<unknown> => {
    const { status, reported } = await post(whole(parts, boundary), boundary);
    assert.equal(status, 200);
    return reported;
  };
  const FIELD: Part = { name: "title", content: "tea" };

  it("is equal for the same content with another boundary", async () => {
    assert.equal(await digest([FIELD, FIRST], "first"), await digest([FIELD, FIRST], "second"));
  });

  it("differs with the name, file name, type, content and order", async () => {
    const others: Part[][] = [
      [FIELD, FIRST],
      [FIRST, FIELD],
      [{ ...FIELD, name: "other" }, FIRST],
      [{ ...FIELD, content: "milk" }, FIRST],
      [FIELD, { ...FIRST, name: "b" }],
      [FIELD, { ...FIRST, filename: "b.txt" }],
      [FIELD, { ...FIRST, type: "text/html" }],
      [FIELD, { ...FIRST, content: "half" }],
      [FIELD, FIRST, SECOND],
      [FIELD],
    ];
    const digests = await Promise.all(others.map((parts) => digest(parts)));
    assert.equal(new Set(digests).size, others.length);
  });
});

describe("a multipart form with an invalid boundary", () => {
  it("is refused with 422", async () => {
    for (const boundary of ["", "b".repeat(71), "b".repeat(5000), "a; boundary=b"]) {
      const { status, reported } = await post(whole([FIRST], boundary), boundary);
      assert.deepEqual([status, (reported as { code: string }).code], [422, "SVC_INVALID"], boundary.slice(0, 100));
    }
  });
});
