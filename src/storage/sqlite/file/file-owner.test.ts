/** The owner of a database file: checked with each transaction, rarely read, and never missed. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { connect } from "./connection.ts";
import { Database } from "../database.ts";
import type { Driver } from "./driver.ts";
import { FileOwner, takeOwnership } from "./file-owner.ts";
import { migrate } from "../schema.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-owner-"));
const LOST = { code: "SVC_STORE", message: /opened by another process.*End it/ };

let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

interface Owned {
  file: string;
  driver: Driver;
  owner: FileOwner;
  /** Number of reads of the row. */
  looks: () => number;
  /** Error of each read of the row from now on. */
  fail: (error: Error | undefined) => void;
}

async function owned(): Promise<Owned> {
  const file = newFile();
  const driver = await connect(file);
  migrate(driver, file);
  let looks = 0;
  let failure: Error | undefined;
  const watched: Driver = {
    exec: (text) => driver.exec(text),
    prepare: (text) => {
      const statement = driver.prepare(text);
      if (!text.includes("FROM owner")) return statement;
      const get: typeof statement.get = (...values) => {
        looks++;
        if (failure) throw failure;
        return statement.get(...values);
      };
      return { get, run: (...values) => statement.run(...values), all: (...values) => statement.all(...values) };
    },
    close: () => driver.close(),
  };
  const owner = new FileOwner(watched, file, takeOwnership(driver));
  return { file, driver, owner, looks: () => looks, fail: (error) => void (failure = error) };
}

/** A transaction that writes. @returns whether the owner reported commits by others */
function commit({ driver, owner }: Owned): boolean {
  const isWrittenByOthers = owner.begin();
  driver.exec("INSERT INTO session (id, data, expires_ms) VALUES (hex(randomblob(8)), '', 0)");
  driver.exec("COMMIT");
  return isWrittenByOthers;
}

async function other(file: string, work: (driver: Driver) => void): Promise<void> {
  const driver = await connect(file);
  work(driver);
  driver.close();
}

describe("the owner of a database file", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("is read with the first transaction, and then only after a commit of another connection", async () => {
    const ours = await owned();
    assert.deepEqual([commit(ours), ours.looks()], [true, 1]);
    assert.deepEqual([commit(ours), commit(ours), ours.looks()], [false, false, 1]);
    ours.owner.begin();
    ours.driver.exec("ROLLBACK");
    ours.driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    assert.deepEqual(
      [commit(ours), commit(ours)],
      [false, false],
      "a rollback or a checkpoint is not a commit of another process",
    );
    await other(ours.file, (driver) => driver.exec("DELETE FROM session"));
    assert.deepEqual([commit(ours), commit(ours), ours.looks()], [true, false, 2]);
    ours.driver.close();
  });

  it("is detected as changed between two commits, and from then on with each", async () => {
    const ours = await owned();
    commit(ours);
    await other(ours.file, takeOwnership);
    for (let time = 0; time < 3; time++) assert.throws(() => commit(ours), LOST);
    ours.driver.close();
  });

  it("is detected as changed before the first commit, or during a checkpoint of the log", async () => {
    const first = await owned();
    await other(first.file, takeOwnership);
    assert.throws(() => commit(first), LOST);
    first.driver.close();
    const second = await owned();
    commit(second);
    await other(second.file, (driver) => {
      takeOwnership(driver);
      driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    });
    // Read outside of a transaction, as lists are, so this connection has already seen the commit.
    second.driver.prepare("SELECT count(*) FROM session").get();
    assert.throws(() => commit(second), LOST);
    second.driver.close();
  });

  it("is detected as another process", async () => {
    const file = newFile();
    const database = await Database.open(file);
    const write = (): Promise<unknown> => database.write(() => undefined);
    await write();
    rmSync(`${file}.lock`);
    const module = JSON.stringify(new URL("../database.js", import.meta.url).href);
    const code = `const { Database } = await import(${module}); await (await Database.open(${JSON.stringify(file)})).close();`;
    await promisify(execFile)(process.execPath, [...process.execArgv, "--input-type=module", "-e", code]);
    await assert.rejects(write(), LOST);
    await assert.rejects(write(), LOST);
    await database.close();
  });

  it("rejects every write of a process after another process has opened the file", async () => {
    const file = newFile();
    const database = await Database.open(file);
    await database.write(() => undefined);
    // The lock of a frozen process can be removed by hand.
    rmSync(`${file}.lock`);
    const next = await Database.open(file);
    const insert = "INSERT INTO session (id, data, expires_ms) VALUES ('a', '', 0)";
    await assert.rejects(
      database.write(() => database.sql(insert).run()),
      LOST,
    );
    await assert.rejects(
      database.writeAlone(async () => database.sql(insert).run()),
      LOST,
    );
    assert.equal(next.sql("SELECT count(*) AS count FROM session").get()?.["count"], 0);
    await database.close();
    await next.close();
  });

  it("leaves no transaction open if it can't be read, and the next transaction begins as usual", async () => {
    const ours = await owned();
    ours.fail(new Error("disk I/O error"));
    assert.throws(() => commit(ours), /disk I\/O error/);
    assert.throws(() => commit(ours), /disk I\/O error/);
    ours.fail(undefined);
    assert.equal(commit(ours), true);
    ours.driver.close();
  });
});
