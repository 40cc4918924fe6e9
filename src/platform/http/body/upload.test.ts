import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { Uploads } from "./upload.ts";

const KIB = 1024;

const PART = 4 * KIB;

/** Parts that are available immediately: the next is read while the previous one is being written to disk. */
const arriving = (parts: number): Readable => Readable.from(Array.from({ length: parts }, () => Buffer.alloc(PART, 7)));

describe("an uploaded file", () => {
  it("is written completely, readable for this user only, and deleted by clear", async () => {
    const uploads = new Uploads({ paper: { maxBytes: KIB * KIB } });
    const file = await uploads.take("paper", "C:\\papers\\a.bin", "application/octet-stream", arriving(9));
    assert.deepEqual([file?.name, file?.size], ["a.bin", 9 * PART]);
    assert.ok(Buffer.alloc(9 * PART, 7).equals((await file?.bytes()) ?? Buffer.alloc(0)));
    const folder = dirname(file?.path ?? "");
    assert.equal(readdirSync(folder).length, 1);
    await uploads.clear();
    assert.throws(() => readdirSync(folder), { code: "ENOENT" });
  });

  it("that is too large is rejected, without an unhandled rejection", async () => {
    const strays: unknown[] = [];
    const hear = (error: unknown): void => void strays.push(error);
    process.on("uncaughtExceptionMonitor", hear);
    try {
      for (let run = 0; run < 20; run++) {
        const uploads = new Uploads({ paper: { maxBytes: 3 * PART } });
        await assert.rejects(uploads.take("paper", "a", "text/plain", arriving(9)), { code: "SVC_TOO_LARGE" });
        // After all pending writes.
        await uploads.clear();
      }
    } finally {
      process.off("uncaughtExceptionMonitor", hear);
    }
    assert.deepEqual(strays, []);
  });
});
