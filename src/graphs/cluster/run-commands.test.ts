import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StaleLeaseError, type RunCommand } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import { SimulatedClock, systemClock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { openStore } from "../../storage/open-store.ts";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import { answerOf, Commands } from "./run-commands.ts";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { clusterTables } from "./schema.ts";

/** Text that an app may contain, but that PostgreSQL's jsonb rejects. */
const ODD = "a\u0000b \ud800 c";

describe("a command for a run that another process holds", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  before(async () => {
    test = await testDatabase();
    await (await openStore(test.url)).close();
    database = await openDatabase(test.url, "svc");
    // The table as earlier versions created it.
    await database.query(`create table svc.commands (id text primary key, process text not null, sender text not null,
      body jsonb not null, answer jsonb, created_at timestamptz not null default clock_timestamp())`);
    await database.query(
      `insert into svc.commands (id, process, sender, body) values ('c_1', 'gone', 'me', '{"z":1}')`,
    );
    await database.query(clusterTables(database.schema));
  });
  after(async () => {
    await database.close();
    await test.drop();
  });

  it("carries any text, as does its answer, and keeps the order of keys", async () => {
    await database.query(`insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build)
      values ('other', 1, 1, 'here', 'worker', '{}', '{}', '')`);
    const commands: RunCommand[] = [];
    // Two processes with immediate notifications.
    const other = new Commands({
      cipher: new PayloadCipher([]),
      database,
      clock: systemClock,
      notices: { notify: (_kind, id) => me.answered(id) },
      execute: async (_graphId, command) => {
        commands.push(command);
        return { kind: "done", snapshot: { graph_id: "g_1", input: { z: ODD, a: 1 } } as unknown as Snapshot };
      },
    });
    const me = new Commands({
      cipher: new PayloadCipher([]),
      database,
      clock: systemClock,
      notices: { notify: () => void other.look("other") },
      execute: () => assert.fail("nobody asks"),
    });
    const command: RunCommand = { step: "pause", options: { note: ODD } };
    const answer = await me.ask("other", "me", "g_1", command, Infinity);
    assert.deepEqual(commands, [command]);
    assert.ok(answer?.kind === "done");
    assert.equal(JSON.stringify(answer.snapshot.input), JSON.stringify({ z: ODD, a: 1 }));
  });

  it("times out with its caller, and is then withdrawn", async () => {
    const clock = new SimulatedClock(0);
    const me = new Commands({
      cipher: new PayloadCipher([]),
      database,
      clock,
      notices: { notify: () => undefined },
      execute: () => assert.fail("nobody asks"),
    });
    let answer: unknown = "none yet";
    const asked = me.ask("other", "me", "g_1", { step: "pause", options: {} }, 2000).then((given) => (answer = given));
    while (answer === "none yet") await clock.advance(100);
    assert.equal(await asked, undefined);
    const { rows } = await database.query("select from svc.commands where process = 'other'");
    assert.equal(rows.length, 0);
  });

  it("reports an internal error without its details, and a lost lease as moved", async () => {
    const log = recordLog();
    const reported = async (error: Error) => answerOf(Promise.reject(error), "g_1", log);
    const refused = await reported(new Error("UNIQUE constraint failed: secret"));
    assert.ok(refused.kind === "refused" && refused.code === "SVC_INTERNAL" && !refused.message.includes("secret"));
    assert.match(log.texts.join(), /^error.*g_1[^]*UNIQUE constraint failed: secret/);
    assert.deepEqual(await reported(new StaleLeaseError()), { kind: "moved" });
    assert.deepEqual(await reported(new SvcError("SVC_TRANSITION", "It has ended")), {
      kind: "refused",
      code: "SVC_TRANSITION",
      message: "It has ended",
    });
  });

  it("that an earlier version wrote is still readable", async () => {
    const { rows } = await database.query<{ body: unknown }>("select body from svc.commands where id = 'c_1'");
    assert.deepEqual(rows, [{ body: { z: 1 } }]);
  });

  it("is deleted with the process that it was sent to", async () => {
    const me = new Commands({
      cipher: new PayloadCipher([]),
      database,
      clock: systemClock,
      notices: { notify: () => undefined },
      execute: () => assert.fail("nobody asks"),
    });
    await database.query(`insert into svc.commands (id, process, sender, body) values ('c_2', 'gone', 'other', '{}')`);
    await me.sweep();
    const { rows } = await database.query("select id from svc.commands");
    assert.deepEqual(rows, [{ id: "c_2" }]);
  });
});
