/** Backups of a database file that is in use. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fillStore, MOVED_GRAPH } from "../contract/dump-rows.testkit.ts";
import { openStore } from "../open-store.ts";
import { backUp, copyError } from "./backup.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
const at = (name: string): string => join(folder, name);

describe("a backup", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("contains everything that was committed when it began, and nothing later, while the store is open", async () => {
    const store = await openStore(`sqlite:${at("used.db")}`);
    await fillStore(store);
    const backup = await backUp(at("used.db"), at("copy.db"));
    await store.sessions.write("later", "{}", 1);
    const whole = await store.graphs.load([MOVED_GRAPH]);
    await store.close();
    assert.deepEqual(backup, { graphs: 13, bytes: statSync(at("copy.db")).size });
    const copy = await openStore(`sqlite:${at("copy.db")}`);
    assert.deepEqual(await copy.graphs.load([MOVED_GRAPH]), whole);
    assert.notEqual(await copy.sessions.read("s1"), undefined);
    assert.equal(await copy.sessions.read("later"), undefined);
    await copy.close();
  });

  it(
    "is readable only by its owner, because it contains secrets",
    { skip: process.platform === "win32" && "has no modes" },
    () => {
      assert.equal(statSync(at("copy.db")).mode & 0o777, 0o600);
    },
  );

  it("overwrites no existing file, and does not create a missing source", async () => {
    await assert.rejects(backUp(at("used.db"), at("copy.db")), {
      code: "SVC_STORE",
      message: /copy\.db already exists/,
    });
    await assert.rejects(backUp(at("none.db"), at("x.db")), {
      code: "SVC_STORE",
      message: /database .*none\.db does not exist/,
    });
    assert.deepEqual([existsSync(at("none.db")), existsSync(at("x.db"))], [false, false]);
  });

  it("creates the folder of its target", async () => {
    const copy = at("backups/of/monday.db");
    assert.ok((await backUp(at("used.db"), copy)).bytes > 0);
    assert.ok(existsSync(copy));
  });

  it("reports the reason of a failure, and leaves no file", async () => {
    writeFileSync(at("text.db"), "no database, whatever its name says. ".repeat(100));
    await assert.rejects(backUp(at("text.db"), at("y.db")), {
      code: "SVC_STORE",
      message: /text\.db is not an SQLite database/,
    });
    await assert.rejects(backUp(at("used.db"), at("text.db/folder.db")), {
      code: "SVC_STORE",
      message: /could not be copied to .*folder\.db: (?:ENOTDIR|EEXIST)/,
    });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("y.db")),
      [],
    );
  });

  it("blames the target, not the app's database, if the disk is full", () => {
    const error = copyError("used.db", "/mnt/full/copy.db", new Error("database or disk is full"));
    assert.match(error.message, /^\/mnt\/full\/copy\.db could not be written: there is no space left/);
  });

  it("replaces the rest of a backup that was killed", async () => {
    writeFileSync(at("z.db.part"), "half");
    await backUp(at("used.db"), at("z.db"));
    assert.ok(existsSync(at("z.db")) && !existsSync(at("z.db.part")));
  });
});
