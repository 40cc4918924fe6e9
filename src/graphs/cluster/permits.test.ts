import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PermitAnswer, SharedLimits } from "../execution/queue/permit-types.ts";
import { systemClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { SharedPermits } from "./permits.ts";
import { clusterTables } from "./schema.ts";

describe("limits across processes", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  const all: SharedPermits[] = [];
  let workers = 0;
  let processes = 0;

  before(async () => {
    test = await testDatabase();
    database = await openDatabase(test.url, "svc");
    await database.query("create schema svc");
    await database.transaction((query) => query(clusterTables("svc")));
    // The table as earlier versions created it.
    await database.query("alter table svc.permits drop column ask");
    await database.transaction((query) => query(clusterTables("svc")));
  });
  after(async () => {
    for (const permits of all) permits.close();
    await database.close();
    await test.drop();
  });

  const NONE: SharedLimits = { total: undefined, perKey: undefined, rate: undefined };

  interface Process {
    permits: SharedPermits;
    take: (key?: string, isStart?: boolean, isWanted?: () => boolean) => Promise<PermitAnswer>;
    id: string;
  }

  /** Registered processes with one worker that has these limits. */
  async function processesWith(
    limits: Partial<SharedLimits>,
    count = 2,
    query: OpenedDatabase["query"] = database.query,
  ): Promise<Process[]> {
    const worker = `w${++workers}`;
    const made: Process[] = [];
    for (let at = 0; at < count; at++) {
      const id = `p_${++processes}`;
      await database.query(
        "insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build) values ($1, 1, 1, '', 'worker', '{}', '{}', '')",
        [id],
      );
      const permits: SharedPermits = new SharedPermits({
        database: { ...database, query },
        clock: systemClock,
        log: silentLog,
        me: () => id,
        onGivenBack: () => made.forEach((other) => other.permits.lookAgain()),
      });
      all.push(permits);
      const of = { worker, limits: { ...NONE, ...limits } };
      made.push({
        id,
        permits,
        take: (key = "", isStart = true, isWanted = () => true) =>
          permits.take({ ...of, key, rateKey: key, isStart, isWanted }),
      });
    }
    return made;
  }

  const permitOf = (answer: PermitAnswer): string => {
    assert.ok(answer.kind === "granted" && answer.permit !== undefined, JSON.stringify(answer));
    return answer.permit;
  };

  it("are never exceeded, and every process gets its turn", async () => {
    const both = await processesWith({ total: 3 });
    let running = 0;
    let most = 0;
    let done = 0;
    const run = async ({ take, permits }: Process): Promise<void> => {
      const permit = permitOf(await take());
      most = Math.max(most, ++running);
      await new Promise((next) => setImmediate(next));
      running--;
      permits.giveBack(permit);
      done++;
    };
    await Promise.all(Array.from({ length: 40 }, (_, at) => run(both[at % 2] as Process)));
    assert.deepEqual([most, done], [3, 40]);
  });

  it("count per key if they are defined per key, and one key never blocks another", async () => {
    const [one, other] = (await processesWith({ perKey: 1 })) as [Process, Process];
    const ofA = permitOf(await one.take("a"));
    const waiting = other.take("a");
    permitOf(await other.take("b"));
    const first = await Promise.race([waiting, other.take("c").then(() => "another")]);
    assert.equal(first, "another");
    one.permits.giveBack(ofA);
    permitOf(await waiting);
  });

  it("release the permits of a process that is gone", async () => {
    const [one, other] = (await processesWith({ total: 2 })) as [Process, Process];
    permitOf(await one.take());
    permitOf(await one.take());
    const waiting = other.take();
    await database.query("delete from svc.processes where id = $1", [one.id]);
    other.permits.lookAgain();
    permitOf(await waiting);
  });

  it("give no permit to a process that is not registered", async () => {
    const [one] = (await processesWith({ total: 1 })) as [Process];
    await database.query("delete from svc.processes where id = $1", [one.id]);
    const waiting = one.take();
    one.permits.close();
    const late = one.take();
    assert.equal(await Promise.race([late, waiting.then(({ kind }) => kind)]), "dropped");
  });

  it("count every start within the rate's period, also ended ones, but not attempts that continue after a wait", async () => {
    const [one, other] = (await processesWith({ total: 9, rate: { limit: 3, perMs: 60_000 } })) as [Process, Process];
    for (const { take, permits } of [one, other, one]) permits.giveBack(permitOf(await take("k")));
    const refused = await other.take("k");
    assert.ok(refused.kind === "refused" && refused.waitMs > 0 && refused.waitMs <= 60_000, JSON.stringify(refused));
    permitOf(await other.take("k", false));
    permitOf(await other.take("another key"));
    await database.query(
      "update svc.permits set started_at = started_at - interval '1 min', until = until - interval '1 min'",
    );
    permitOf(await other.take("k"));
  });

  it("use one permit for a repeated request, such as after a lost connection", async () => {
    const twice: OpenedDatabase["query"] = async (text, values) => {
      await database.query(text, values);
      return database.query(text, values);
    };
    const [one, other] = (await processesWith({ total: 2, rate: { limit: 9, perMs: 60_000 } }, 2, twice)) as [
      Process,
      Process,
    ];
    const [first, second] = await Promise.all([one.take(), other.take()]);
    assert.notEqual(permitOf(first), permitOf(second));
    const waiting = one.take();
    other.permits.giveBack(permitOf(second));
    permitOf(await waiting);
    const { rows } = await database.query(
      "select count(*)::int, count(process)::int as held from svc.permits where worker = $1",
      [`w${workers}`],
    );
    assert.deepEqual(rows, [{ count: 3, held: 2 }]);
  });

  it("recover a permit whose response was lost, even if it is no longer wanted", async () => {
    let isLost = true;
    let isWanted = true;
    const loses: OpenedDatabase["query"] = async (text, values) => {
      const answer = await database.query<never>(text, values);
      if (!isLost) return answer;
      isLost = isWanted = false;
      throw new Error("The answer was lost");
    };
    const [one, other] = (await processesWith({ total: 1 }, 2, loses)) as [Process, Process];
    one.permits.giveBack(permitOf(await one.take("", true, () => isWanted)));
    permitOf(await other.take());
  });

  it("leave no rows behind", async () => {
    const both = await processesWith({ total: 5 });
    const permits = await Promise.all(both.map(({ take }) => take()));
    both.forEach((process, at) => process.permits.giveBack(permitOf(permits[at] as PermitAnswer)));
    const left = async () =>
      (await database.query<{ count: string }>("select count(*) from svc.permits where worker = $1", [`w${workers}`]))
        .rows[0]?.count;
    for (let at = 0; at < 500 && (await left()) !== "0"; at++) await new Promise((next) => setTimeout(next, 20));
    assert.equal(await left(), "0");
  });
});
