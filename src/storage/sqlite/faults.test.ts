/** Full disks, locks, read-only and damaged files: each has a clear error, and no acknowledged write is lost. */
import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { SvcError } from "../../platform/shared/errors.ts";
import { openStore } from "../open-store.ts";
import { Database } from "./database.ts";
import { loadDriver } from "./file/driver.ts";
import { storeError } from "./file/store-error.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-faults-"));
after(() => rmSync(folder, { recursive: true }));

const WRITE = "INSERT INTO session (id, data, expires_ms) VALUES (?, ?, 0)";

function write(database: Database, id: number, bytes = 500): Promise<unknown> {
  return database.write(() => database.sql(WRITE).run(String(id), "x".repeat(bytes)));
}

function idsOf(database: Database): number[] {
  return database
    .sql("SELECT id FROM session")
    .all()
    .map(({ id }) => Number(id))
    .sort((a, b) => a - b);
}

/** A file with a hundred rows that this process has never opened: libsql caches data of files beyond their closing. */
async function filled(name: string): Promise<string> {
  const [made, file] = [join(folder, `made-${name}`), join(folder, name)];
  const database = await Database.open(made);
  await Promise.all(Array.from({ length: 100 }, (_, id) => write(database, id)));
  database.close();
  copyFileSync(made, file);
  return file;
}

const faultOf = (file: string, words: RegExp) => (error: SvcError) => {
  assert.equal(error.code, "SVC_STORE");
  assert.ok(error.message.includes(file), error.message);
  assert.match(error.message, words);
  return true;
};

describe("a database file", () => {
  it("on a full disk loses no acknowledged write, and accepts writes again once there is space", async () => {
    const file = join(folder, "full.db");
    const database = await Database.open(file);
    const pages = Number(database.sql("PRAGMA page_count").get()?.["page_count"]);
    database.sql(`PRAGMA max_page_count = ${pages + 20}`).all();
    const acknowledged: number[] = [];
    const reported: unknown[] = [];
    for (let id = 0; id < 60; id++)
      await write(database, id, 3000).then(
        () => acknowledged.push(id),
        (error: unknown) => reported.push(error),
      );
    assert.ok(
      acknowledged.length > 5 && reported.length > 5,
      `${acknowledged.length} written, ${reported.length} refused`,
    );
    for (const error of reported) faultOf(file, /the disk is full.*Free disk space/)(error as SvcError);
    assert.deepEqual(idsOf(database), acknowledged);
    database.sql("PRAGMA max_page_count = 1000000").all();
    await write(database, 1000);
    database.close();
    const again = await Database.open(file);
    assert.deepEqual(idsOf(again), [...acknowledged, 1000]);
    assert.equal(again.sql("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    again.close();
  });

  it("that another program locks reports that, and accepts writes after the lock is released", async () => {
    const file = await filled("locked.db");
    // Shorter than the usual five seconds.
    const database = await Database.open(file, { patienceMs: 0 });
    const other = new (await loadDriver())(file);
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(write(database, 100), faultOf(file, /locked by another program/));
    other.exec("ROLLBACK");
    other.close();
    await write(database, 101);
    assert.equal(idsOf(database).length, 101);
    database.close();
  });

  it("that another program locks for a moment delays only writes, in their order", async () => {
    const file = await filled("busy.db");
    const database = await Database.open(file);
    const other = new (await loadDriver())(file);
    other.exec("BEGIN IMMEDIATE");
    const reported: string[] = [];
    const noted = (name: string, work: Promise<unknown>) => work.then(() => reported.push(name));
    const all = [
      noted("first", write(database, 100)),
      // After a failure in a group, each of its transitions is written alone.
      assert.rejects(write(database, 100), /UNIQUE/),
      noted(
        "alone",
        database.writeAlone(async () => assert.equal(idsOf(database).length, 101)),
      ),
      noted("last", write(database, 101)),
    ];
    const closed = noted("closed", database.close());
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([reported, idsOf(database).length], [[], 100], "the event loop continues, and reads succeed");
    other.exec("ROLLBACK");
    other.close();
    await Promise.all([...all, closed]);
    assert.deepEqual(reported.sort(), ["alone", "closed", "first", "last"]);
    const again = await Database.open(file);
    assert.equal(idsOf(again).length, 102);
    await again.close();
  });

  it("that is read-only reports that", async () => {
    const file = await filled("readonly.db");
    const database = await Database.open(file);
    // Tests may run as root, for which no file is read-only, so SQLite opens the file read-only.
    database.sql("PRAGMA query_only = 1").all();
    await assert.rejects(write(database, 100), faultOf(file, /write access/));
    assert.equal(idsOf(database).length, 100);
    database.close();
  });

  it("in a read-only folder reports that when it is opened, and releases its lock", async () => {
    const file = await filled("nowhere.db");
    // Tests may run as root, which can write everywhere, so a folder blocks the path instead.
    for (const beside of ["owner", "lock"]) {
      rmSync(`${file}.${beside}`, { force: true });
      mkdirSync(`${file}.${beside}`);
      await assert.rejects(Database.open(file), faultOf(file, /can't be opened/));
      rmSync(`${file}.${beside}`, { recursive: true });
    }
    await assert.rejects(Database.open(join(file, "svc.db")), faultOf(file, /can't be opened/));
    for (const reported of ["EROFS: read-only file system, open", "EACCES: permission denied, mkdir"])
      assert.ok(
        faultOf(file, /write access to the file and to its folder/)(storeError(file, new Error(reported)) as SvcError),
      );
    await (await Database.open(file)).close();
  });

  it("that is empty, truncated or not a database is rejected with a remedy", async () => {
    const text = join(folder, "text.db");
    writeFileSync(text, "This is a letter, and quite a long one.\n".repeat(200));
    await assert.rejects(openStore(`sqlite:${text}`), faultOf(text, /not an SQLite database.*backup/));

    const magic = await filled("magic.db");
    const bytes = readFileSync(magic);
    bytes.write("SQLight", 0);
    writeFileSync(magic, bytes);
    await assert.rejects(openStore(`sqlite:${magic}`), faultOf(magic, /not an SQLite database/));

    const cut = await filled("cut.db");
    truncateSync(cut, Math.trunc(statSync(cut).size / 8192) * 4096);
    await assert.rejects(
      async () => {
        const database = await Database.open(cut);
        try {
          idsOf(database);
        } finally {
          database.close();
        }
      },
      faultOf(cut, /damaged.*backup/),
    );
  });

  it("with changed bytes is reported as damaged by reads of that part, and the rest is readable", async () => {
    const file = await filled("flipped.db");
    const bytes = readFileSync(file);
    const isOfRows = (page: number): boolean => bytes.subarray(page, page + 4096).includes("x".repeat(400));
    for (let page = 0; page < bytes.length; page += 4096) if (isOfRows(page)) bytes.fill(0xa5, page, page + 100);
    writeFileSync(file, bytes);
    const database = await Database.open(file);
    // The ids alone would come from the index.
    const read = (): unknown => database.sql("SELECT data FROM session").all();
    assert.throws(read, faultOf(file, /damaged/));
    assert.equal(database.sql("SELECT count(*) AS n FROM queue").get()?.["n"], 0);
    database.close();
  });
});

describe("an error of SQLite", () => {
  it("reports a full disk if there is no space for the index of the log, with both drivers", () => {
    for (const code of [{ code: "SQLITE_IOERR_SHMSIZE" }, { code: "ERR_SQLITE_ERROR", errcode: 4874 }])
      assert.match(storeError("a.db", Object.assign(new Error("disk I/O error"), code)).message, /the disk is full/);
    const other = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ", errcode: 266 });
    assert.match(storeError("a.db", other).message, /the disk reports an error/);
  });
});

describe("the write-ahead log of a database file", () => {
  it("that is cut or changed at 200 places keeps all earlier acknowledged writes, in order, and an intact file", async () => {
    const file = join(folder, "wal.db");
    const database = await Database.open(file);
    database.sql("PRAGMA wal_autocheckpoint = 0").all();
    /** Size of the log when each commit was acknowledged. */
    const sizes: number[] = [];
    for (let id = 0; id < 60; id++) {
      await write(database, id);
      sizes.push(statSync(`${file}-wal`).size);
    }
    const log = readFileSync(`${file}-wal`);
    const begin = join(folder, "begin.db");
    copyFileSync(file, begin);
    database.close();
    const DriverClass = await loadDriver();
    for (let at = 0; at < 200; at++) {
      const place = random(at, log.length);
      const torn = at % 4 === 3 ? flipped(log, place) : log.subarray(0, place);
      const copy = join(folder, `copy-${at}.db`);
      copyFileSync(begin, copy);
      writeFileSync(`${copy}-wal`, torn);
      const driver = new DriverClass(copy);
      try {
        assert.equal(driver.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok", `at ${place}`);
        const hasTable = driver.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'session'").get()?.["n"];
        const count = hasTable ? Number(driver.prepare("SELECT count(*) AS n FROM session").get()?.["n"]) : 0;
        const highest = hasTable
          ? driver.prepare("SELECT max(CAST(id AS INTEGER)) AS id FROM session").get()?.["id"]
          : null;
        assert.equal(highest, count === 0 ? null : count - 1, `a prefix, at ${place}`);
        const due = sizes.filter((size) => size <= place).length;
        assert.ok(count >= due, `${count} of ${due} at ${place}`);
      } finally {
        driver.close();
      }
    }
  });
});

/** The same places in every run. */
function random(seed: number, below: number): number {
  let value = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b) >>> 0;
  return (value ^ (value >>> 13)) % below;
}

function flipped(log: Buffer, place: number): Buffer {
  const copy = Buffer.from(log);
  copy[place] = (copy[place] as number) ^ 0xff;
  return copy;
}
