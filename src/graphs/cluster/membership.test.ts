import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { Membership, type ProcessFigures } from "./membership.ts";
import type { OpenedDatabase, Query } from "./database.ts";
import { openDatabase } from "./open-database.ts";

describe("processes that share a database", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  before(async () => {
    test = await testDatabase();
    database = await openDatabase(test.url, "svc");
    await database.query("create schema svc");
  });
  after(async () => {
    await database.close();
    await test.drop();
  });

  interface ReportMethod {
    member: Membership;
    joined: string[];
    lost: string[];
    gaveUp: string[];
    returned: string[];
    clock: SimulatedClock;
  }

  /** @param asked called after each statement of its session. */
  async function member(
    patienceMs = 10_000,
    figures?: () => ProcessFigures,
    asked?: (text: string, member: Membership) => Promise<void>,
  ): Promise<ReportMethod> {
    const reported = { joined: [] as string[], lost: [] as string[], gaveUp: [] as string[], returned: [] as string[] };
    const clock = new SimulatedClock(0);
    const session: OpenedDatabase["session"] = async (onEnd) => {
      const made = await database.session(onEnd);
      const query: Query = async (text, values) => {
        const answer = await made.query<never>(text, values);
        await asked?.(text, membership);
        return answer;
      };
      return { ...made, query };
    };
    const membership: Membership = new Membership({
      database: { ...database, session },
      profile: { role: "all", workers: ["resize"], definitions: [], build: "b1", code: "c1", claimant: undefined },
      clock,
      log: silentLog,
      onJoin: (id) => void reported.joined.push(id),
      onLoss: (id) => void reported.lost.push(id),
      onReturn: async (id) => {
        reported.returned.push(id);
        await database.query("delete from svc.processes where id = $1", [id]);
      },
      giveUp: async (id) => {
        reported.gaveUp.push(id);
        await database.query("delete from svc.processes where id = $1", [id]);
      },
      patienceMs,
      ...(figures && { figures }),
    });
    await membership.join();
    return { member: membership, ...reported, clock };
  }

  const cut = async (id: string): Promise<void> => {
    await database.query("select pg_terminate_backend(backend_pid) from svc.processes where id = $1", [id]);
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (const endMs = Date.now() + 30_000; !holds();) {
      assert.ok(Date.now() < endMs, "the condition did not become true");
      await new Promise((next) => setTimeout(next, 10));
    }
  };

  it("are listed from joining until leaving", async () => {
    const one = await member();
    const other = await member();
    const list = await one.member.list();
    assert.deepEqual(
      list.map(({ id, role, workers, build }) => [id, role, workers, build]),
      [one, other].map(({ joined }) => [joined[0], "all", ["resize"], "b1"]),
    );
    assert.deepEqual([one.member.others, other.member.others], [0, 1]);
    await one.member.close();
    await other.member.look();
    assert.deepEqual([other.gaveUp, other.member.others], [[], 0]);
    await other.member.close();
    assert.deepEqual(await other.member.list(), []);
  });

  it("of earlier versions report the code version instead of the build", async () => {
    const first = await member();
    await first.member.close();
    await database.query("alter table svc.processes drop column told_build");
    const { member: one } = await member();
    await database.query(
      `insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build)
       values ('p_of_before', 4711, 1, 'box', 'all', '{}', '{}', 'c0')`,
    );
    assert.deepEqual(
      (await one.list()).map(({ build }) => build),
      ["b1", "c0"],
    );
    await database.query("delete from svc.processes where id = 'p_of_before'");
    await one.close();
  });

  it("report their health, also in tables of earlier versions", async () => {
    const first = await member();
    await first.member.close();
    await database.query("alter table svc.processes drop column loop_p99_ms, drop column memory_bytes");
    const { member: one } = await member(10_000, () => ({ loop_p99_ms: 1.5, memory_bytes: 3e9 }));
    const { member: other } = await member();
    const figures = (await one.list()).map(({ loop_p99_ms: p99Ms, memory_bytes: bytes }) => [p99Ms, bytes]);
    assert.deepEqual(figures, [
      [1.5, 3e9],
      [null, null],
    ]);
    await one.close();
    await other.close();
  });

  it("detect a process whose session has ended, and that process rejoins under another id", async () => {
    const one = await member();
    const other = await member();
    const [id] = one.joined as [string];
    await cut(id);
    await until(() => one.lost.length > 0);
    assert.equal(one.member.id, undefined);
    // It may come back, however long this machine took until here.
    await database.query("update svc.processes set seen_at = now() + interval '1 min' where id = $1", [id]);
    await other.member.look();
    assert.deepEqual(other.gaveUp, []);
    await database.query("update svc.processes set seen_at = now() - interval '2 s' where id = $1", [id]);
    await other.member.look();
    assert.deepEqual(other.gaveUp, [id]);
    one.clock.advance(300);
    await until(() => one.joined.length > 1);
    assert.notEqual(one.joined[1], id);
    assert.equal(one.member.id, one.joined[1]);
    await one.member.close();
    await other.member.close();
  });

  it("release what they held when they are back after a lost session, which counts as no crash", async () => {
    const one = await member();
    const [id] = one.joined as [string];
    await cut(id);
    await until(() => one.lost.length > 0);
    one.clock.advance(300);
    await until(() => one.joined.length > 1);
    assert.deepEqual([one.returned, one.gaveUp], [[id], []]);
    await one.member.close();
  });

  it("leave a process that has lost its session the time to come back, and look again when it is over", async () => {
    let looks = 0;
    const one = await member();
    const other = await member(10_000, undefined, async (text) => void (looks += Number(text.includes("with beat"))));
    const [id] = one.joined as [string];
    await cut(id);
    await until(() => one.lost.length > 0);
    await other.member.look();
    one.clock.advance(300);
    await until(() => one.joined.length > 1);
    await other.member.look();
    assert.deepEqual([one.returned, other.gaveUp], [[id], []]);
    await one.member.look();
    // This time it does not come back.
    await cut(one.joined[1] as string);
    await until(() => one.lost.length > 1);
    const seen = (ago: string): Promise<unknown> =>
      database.query(`update svc.processes set seen_at = clock_timestamp() - $2::interval where id = $1`, [
        one.joined[1],
        ago,
      ]);
    await seen("1 s");
    const before = looks;
    void other.clock.advance(1000);
    await until(() => looks > before);
    assert.deepEqual(other.gaveUp, []);
    await seen("2 s");
    // Sooner than the next beat.
    void other.clock.advance(600);
    await until(() => other.gaveUp.length > 0);
    assert.deepEqual(other.gaveUp, [one.joined[1]]);
    await one.member.close();
    await other.member.close();
  });

  it("end the session of a silent process, which then counts as dead", async () => {
    const one = await member();
    const other = await member();
    await database.query("update svc.processes set seen_at = seen_at - interval '11 s' where id = $1", [one.joined[0]]);
    await other.member.look();
    assert.deepEqual(other.gaveUp, []);
    await until(() => one.lost.length > 0);
    for (let looks = 0; other.gaveUp.length === 0 && looks < 100; looks++) await other.member.look();
    assert.deepEqual(other.gaveUp, one.joined);
    await one.member.close();
    await other.member.close();
  });

  for (const statement of ["select pg_advisory_lock", "insert into"])
    it(`are not listed after a close while joining, just after: ${statement}`, async () => {
      const close = async (text: string, joining: Membership): Promise<void> => {
        if (text.trim().startsWith(statement)) await joining.close();
      };
      await assert.rejects(member(10_000, undefined, close), /has left/);
      const { rows } = await database.query("select from svc.processes");
      assert.equal(rows.length, 0);
    });

  it("drop their runs when another process has declared them dead, even if their session is open", async () => {
    const one = await member();
    await database.query("delete from svc.processes where id = $1", [one.joined[0]]);
    await one.member.look();
    assert.deepEqual(one.lost, one.joined);
    await one.member.close();
  });
});
