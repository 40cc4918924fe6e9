import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import { RateFile } from "./rate-file.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-rate-"));
let files = 0;
const newFile = (): string => join(folder, "made", `${++files}.db`);

describe("a file of rate-limit counters", () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("counts like memory, for any order of keys and times", async () => {
    const file = await RateFile.open(newFile());
    const memory = new MemoryCounters();
    const both = (counters: RateFile | MemoryCounters) => (key: string, nowMs: number) =>
      counters.add(key, 1, 60_000, nowMs);
    let nowMs = 1_000_000;
    for (let at = 0; at < 400; at++) {
      nowMs += (at * 7919) % 9000;
      if (at === 300) nowMs -= 500_000; // the clock is set back
      const key = `client ${(at * 31) % 7}`;
      assert.deepEqual(both(file)(key, nowMs), { ...both(memory)(key, nowMs) }, `call ${at}`);
    }
    file.close();
  });

  it("is shared by its handles, and outlives them", async () => {
    const path = newFile();
    const [one, other] = [await RateFile.open(path), await RateFile.open(path)];
    for (let at = 0; at < 50; at++) (at % 2 === 0 ? one : other).add("client", 1, 60_000, 1000);
    one.close();
    other.close();
    const later = await RateFile.open(path);
    assert.equal(later.add("client", 1, 60_000, 2000).consumed, 51);
    later.close();
  });

  it("that is invalid is reported at boot with its path", async () => {
    const path = join(folder, "text.db");
    writeFileSync(
      path,
      "no database, but a text of more than a hundred bytes, so that SQLite has to look at what it is".repeat(3),
    );
    await assert.rejects(RateFile.open(path), { code: "SVC_STORE", message: /text\.db can't be used/ });
  });
});
