/** Database files beyond the life of one process: reopened, upgraded from an earlier version, compacted. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openStore } from "../open-store.ts";
import { graphRow, nextId } from "../contract/sample-rows.testkit.ts";
import { connect } from "./file/connection.ts";
import { loadDriver } from "./file/driver.ts";
import { OWNED } from "./purge.ts";
import { STEPS } from "./schema.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-file-"));
describe("the SQLite store", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("keeps its data after it is closed and opened again", async () => {
    const url = `sqlite:${join(folder, "reopen.db")}`;
    const first = await openStore(url);
    const id = nextId();
    await first.graphs.commit({ graphId: id, insert: graphRow(id) });
    await first.close();
    const second = await openStore(url);
    assert.deepEqual(await second.graphs.graph(id), graphRow(id));
    await second.close();
  });

  it(
    "is readable only by its owner, because it contains secrets",
    { skip: process.platform === "win32" && "has no modes" },
    async () => {
      const file = join(folder, "own.db");
      const store = await openStore(`sqlite:${file}`);
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      assert.deepEqual(
        [file, `${file}-wal`].map((name) => statSync(name).mode & 0o777),
        [0o600, 0o600],
      );
      await store.close();
    },
  );

  it("upgrades a file of the previous version with its data", async () => {
    const file = join(folder, "older.db");
    const older = new (await loadDriver())(file);
    older.exec(`${STEPS[0]} PRAGMA user_version = 1;`);
    const insert = older.prepare(
      `INSERT INTO graph (id, worker, status, phase, epoch, pause_no, input, tags, definition, created_ms, due_ms)
       VALUES (?, 'w', ?, ?, 1, 0, '{"a":[1,"ž"]}', '["x","x"]', 'd', 1000, 1000)`,
    );
    const [id, done] = [nextId(), nextId()];
    insert.run(id, "pending", "queued");
    insert.run(done, "done", "done");
    older
      .prepare(
        "INSERT INTO delivery VALUES ('msg_1', 'wh_1', ?, 'graph.done', 1, 0, '{\"ž\":1}', 5, 6, 'pending', 0, NULL)",
      )
      .run(done);
    older.close();
    const second = await openStore(`sqlite:${file}`);
    assert.deepEqual(await second.graphs.graph(id), { ...graphRow(id), tags: ["x", "x"] });
    assert.deepEqual((await second.graphs.list({ worker: "w", status: "pending" })).total, 1);
    assert.deepEqual(
      (await second.graphs.list({ tag: "x" })).items.map((row) => row.id),
      [done, id],
    );
    const row = { registrationId: "wh_1", graphId: done, event: "graph.done" as const, epoch: 1, pauseNo: 0 };
    const delivery = { ...row, id: "msg_1", body: '{"ž":1}', createdMs: 5, dueMs: 6 };
    const pending = { ...delivery, status: "pending" as const, attempts: 0, deliveredMs: undefined };
    await second.webhooks.addDelivery({ ...delivery, id: "msg_2" });
    assert.deepEqual((await second.webhooks.listDeliveries({ graphId: done })).items, [pending]);
    assert.deepEqual(await second.webhooks.due({ registrationId: "wh_1", isRetry: false }, 10, 9), [pending]);
    await second.sessions.write("s", "{}", 1);
    assert.equal(await second.sessions.read("s"), "{}");
    await second.close();
  });

  it("returns the space of deleted rows to the disk, and lists every table with rows of runs", async () => {
    const file = join(folder, "purge.db");
    const store = await openStore(`sqlite:${file}`);
    const ids = Array.from({ length: 300 }, nextId);
    const input = "x".repeat(20_000);
    await Promise.all(
      ids.map((id) =>
        store.graphs.commit({
          graphId: id,
          insert: graphRow(id, { input, status: "done", phase: "done", finishedMs: 1 }),
        }),
      ),
    );
    await store.close();
    const full = statSync(file).size;
    const again = await openStore(`sqlite:${file}`);
    for (let after: string | undefined = ""; after !== undefined;)
      after = (await again.graphs.purge({ finishedBeforeMs: 2000, after })).next;
    assert.equal((await again.graphs.list({})).total, 0);
    await again.close();
    assert.ok(statSync(file).size < full / 2, `${full} -> ${statSync(file).size}`);
    const driver = new (await loadDriver())(file);
    const tables = driver
      .prepare(
        "SELECT name FROM sqlite_master AS t WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'graph_id') ORDER BY 1",
      )
      .all();
    driver.close();
    assert.deepEqual(
      tables.map(({ name }) => name),
      [...OWNED, "delivery", "graph_attribute", "graph_tag"].toSorted(),
    );
  });

  it("rejects a transition based on rows that another process has changed since, as after a freeze", async () => {
    const file = join(folder, "taken.db");
    const store = await openStore(`sqlite:${file}`);
    const id = nextId();
    const fence = { epoch: 1, phases: ["queued" as const], seq: 1 };
    const event = { graphId: id, type: "custom" as const, timestampMs: 1 };
    assert.equal(await store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event] }), true);
    const other = new (await loadDriver())(file);
    other.prepare("INSERT INTO event_run VALUES (?, 2, '[[\"log\",1,null]]')").run(id);
    other.close();
    assert.equal(await store.graphs.commit({ graphId: id, fence, events: [event] }), false);
    assert.equal(await store.graphs.commit({ graphId: id, fence: { ...fence, seq: 2 }, events: [event] }), true);
    assert.deepEqual(
      (await store.graphs.events(id, 0)).map(({ seq, type }) => `${seq} ${type}`),
      ["1 custom", "2 log", "3 custom"],
    );
    await store.close();
  });

  it("rejects a second owner, and names the first", async () => {
    const url = `sqlite:${join(folder, "owned.db")}`;
    const first = await openStore(url);
    await assert.rejects(openStore(url), new RegExp(`in use by another process \\(pid ${process.pid}\\)`));
    await first.close();
    await (await openStore(url)).close();
  });

  it(
    "reports a lock file that can't be written, or is invalid, instead of a database in use",
    { skip: process.platform !== "linux" && "has no /dev/full" },
    async () => {
      const file = join(folder, "unlocked.db");
      // Accepts no byte, like a full disk.
      symlinkSync("/dev/full", `${file}.owner`);
      const noRoom = /unlocked\.db\.lock can't grow: the disk is full.*Free disk space/;
      await assert.rejects(openStore(`sqlite:${file}`), { code: "SVC_STORE", message: noRoom });
      rmSync(`${file}.owner`);
      await (await openStore(`sqlite:${file}`)).close();
      writeFileSync(`${file}.lock`, "a letter, and quite a long one. ".repeat(200));
      await assert.rejects(openStore(`sqlite:${file}`), {
        code: "SVC_STORE",
        message: /unlocked\.db\.lock is not an SQLite/,
      });
    },
  );

  it("writes nothing when a connection is only set up", async () => {
    const file = join(folder, "set-up.db");
    await (await openStore(`sqlite:${file}`)).close();
    const [watch, other] = [await connect(file), await connect(file)];
    const commits = (): unknown => watch.prepare("PRAGMA data_version").get()?.["data_version"];
    const before = commits();
    const again = await connect(file);
    assert.equal(commits(), before);
    other.exec("UPDATE owner SET tenure = tenure + 1");
    assert.notEqual(commits(), before);
    for (const driver of [watch, other, again]) driver.close();
  });

  it("rejects writes once it is closed, and unknown URLs", async () => {
    const store = await openStore(`sqlite:${join(folder, "closed.db")}`);
    await store.close();
    await assert.rejects(store.graphs.commit({ graphId: "g_x", insert: graphRow("g_x") }), /closed/);
    await assert.rejects(
      openStore("mysql://user:secret@host/db"),
      /"mysql:…" is not a database that this version can open; allowed: sqlite:<path>, postgres:/,
    );
  });
});
