/** When a commit is durable: the asynchronous sync of the log, and failures of the disk. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { SvcError } from "../../../platform/shared/errors.ts";
import { Database } from "../database.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-sync-"));
/** Syncs that the test completes. */
class Disk {
  readonly under: ((error: Error | null) => void)[] = [];
  begun = 0;
  readonly sync = (_fd: number, done: (error: Error | null) => void): void => {
    this.begun++;
    this.under.push(done);
  };

  end(error: Error | null = null): void {
    const [done] = this.under.splice(0);
    assert.ok(done, "a sync is running");
    done(error);
  }
}

/** Waits for everything that needs no disk. */
async function turn(): Promise<void> {
  for (let at = 0; at < 3; at++) await new Promise((resolve) => setImmediate(resolve));
}

function writer(database: Database, reported: string[]): (id: string) => Promise<void> {
  const sql = "INSERT INTO session (id, data, expires_ms) VALUES (?, '', 0)";
  return (id) =>
    database
      .write(() => database.sql(sql).run(id))
      .then(
        () => void reported.push(`${id} written`),
        (error: SvcError) => void reported.push(`${id} ${error.code}: ${error.message}`),
      );
}

describe("the sync of the log", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("that throws at once fails the commits that wait for it, and later ones do not wait forever", async () => {
    let begun = 0;
    const sync = (): void => {
      begun++;
      throw new Error("fdatasync API is disabled");
    };
    const database = await Database.open(join(folder, "throws.db"), { sync });
    const reported: string[] = [];
    const write = writer(database, reported);
    const both = [write("a"), write("b")];
    await turn();
    assert.match(reported.join("\n"), /^a .*fdatasync API is disabled\nb .*fdatasync API is disabled$/);
    await Promise.all(both);
    const later = write("c");
    await turn();
    // A checkpoint has written everything to disk, so no sync is needed.
    assert.deepEqual(reported.slice(2), ["c written"]);
    assert.equal(begun, 1);
    await later;
    await database.close();
  });

  it("acknowledges a commit after a sync that began after it, and blocks nothing meanwhile", async () => {
    const disk = new Disk();
    const database = await Database.open(join(folder, "wait.db"), { sync: disk.sync });
    const reported: string[] = [];
    const write = writer(database, reported);
    const all = [write("a"), write("b")];
    await turn();
    all.push(write("c"), write("d"));
    await turn();
    assert.equal(disk.begun, 1);
    assert.deepEqual(reported, []);
    disk.end();
    await turn();
    assert.deepEqual(reported, ["a written", "b written"]);
    assert.equal(disk.begun, 2);
    disk.end();
    await Promise.all(all);
    assert.deepEqual(reported, ["a written", "b written", "c written", "d written"]);
    assert.equal(disk.begun, 2);
    await database.close();
  });

  it("reports a failed sync, and afterwards acknowledges only commits that are in the database file itself", async () => {
    const disk = new Disk();
    const file = join(folder, "fault.db");
    const database = await Database.open(file, { sync: disk.sync });
    const reported: string[] = [];
    const write = writer(database, reported);
    const first = write("a");
    await turn();
    const second = write("b");
    await turn();
    disk.end(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
    await Promise.all([first, second]);
    assert.match(
      reported[0] ?? "",
      /^a SVC_STORE: The database .* can't be read or written: the disk reports an error/,
    );
    assert.equal(reported[1], "b written");
    assert.equal(disk.begun, 1, "another sync could report a false success, so the log is copied into the file");
    const third = write("c");
    await turn();
    disk.end();
    await third;
    assert.equal(disk.begun, 2, "afterwards the log is synced as before");
    await database.close();
  });

  it("ends when the database is closed, after waiting commits are on disk", async () => {
    const disk = new Disk();
    const file = join(folder, "close.db");
    const database = await Database.open(file, { sync: disk.sync });
    const reported: string[] = [];
    const write = writer(database, reported);
    const all = [write("a")];
    await turn();
    all.push(write("b"));
    await database.close();
    assert.equal(disk.begun, 1);
    disk.end();
    await Promise.all(all);
    assert.deepEqual(reported.sort(), ["a written", "b written"]);
    const again = await Database.open(file);
    assert.equal(again.sql("SELECT count(*) AS n FROM session").get()?.["n"], 2);
    await again.close();
  });
});
