import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Wish } from "../graph/fleet.ts";
import type { Snapshot } from "../graph/machine/view-types.ts";
import { systemClock } from "../shared/clock.ts";
import { openStore } from "../store/open.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../testing/test-database.ts";
import { Commands } from "./commands.ts";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { clusterTables } from "./schema.ts";

/** As they may stand in what an app was given, and as PostgreSQL's jsonb refuses them. */
const ODD = "a\u0000b \ud800 c";

describe("a wish for a graph that another process holds", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  before(async () => {
    test = await testDatabase();
    await (await openStore(test.url)).close();
    database = await openDatabase(test.url, "svc");
    // As they were made before.
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

  it("and its answer carry any text, in the order it was written", async () => {
    await database.query(`insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build)
      values ('other', 1, 1, 'here', 'worker', '{}', '{}', '')`);
    const wishes: Wish[] = [];
    // The two processes: what one tells, the other hears at once.
    const other = new Commands({
      database,
      clock: systemClock,
      notices: { tell: (_kind, id) => me.answered(id) },
      fulfil: async (_graphId, wish) => {
        wishes.push(wish);
        return { kind: "done", snapshot: { graph_id: "g_1", input: { z: ODD, a: 1 } } as unknown as Snapshot };
      },
    });
    const me = new Commands({
      database,
      clock: systemClock,
      notices: { tell: () => void other.look("other") },
      fulfil: () => assert.fail("nobody asks"),
    });
    const wish: Wish = { step: "pause", options: { note: ODD } };
    const answer = await me.ask("other", "me", "g_1", wish);
    assert.deepEqual(wishes, [wish]);
    assert.ok(answer?.kind === "done");
    assert.equal(JSON.stringify(answer.snapshot.input), JSON.stringify({ z: ODD, a: 1 }));
  });

  it("that was written before is still there", async () => {
    const { rows } = await database.query<{ body: unknown }>("select body from svc.commands where id = 'c_1'");
    assert.deepEqual(rows, [{ body: { z: 1 } }]);
  });
});
