/** Two processes as they are listed, of which one lends places to the other, with faults of their database in between. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Held } from "../engine/cluster-port.ts";
import type { Hand } from "../execution/remote/remote-attempts.ts";
import { Place } from "../execution/queue/slot.ts";
import type { AwayContext } from "../execution/remote/remote-context.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { openStore } from "../../storage/open-store.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { OpenedDatabase, Query } from "./database.ts";
import { NodesElsewhere } from "./remote-nodes.ts";
import { prepareJobs } from "./jobs.ts";
import { openDatabase } from "./open-database.ts";
import { clusterTables } from "./schema.ts";

const PEER = { build: "b", role: "worker", workers: ["w"] };

describe("places that are lent", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  let processes: Process[] = [];

  class Process {
    readonly id: string;
    readonly clock = new SimulatedClock();
    readonly elsewhere: NodesElsewhere;
    /** Places that it has given away. */
    lent = 0;
    /** What of its statements is made, and never answered. */
    loses: RegExp | undefined;
    isDeaf = false;
    /** What the answer to an offer waits for. */
    answered: Promise<void> = Promise.resolve();
    isShort = false;
    /** Told of a place that it is lent, where it has a use for one. */
    onLent: ((hand: Hand) => void) | undefined;
    /** How many nodes of the other it runs, which never end. */
    running = 0;
    /** What it has written that it wants. */
    readonly said: (readonly string[])[] = [];

    constructor(id: string) {
      this.id = id;
      this.elsewhere = new NodesElsewhere({
        database: this.#connection(),
        clock: this.clock,
        log: silentLog,
        ...PEER,
        isRunner: true,
        me: () => id,
        held: () => this.#held() as Held,
        tell: (other) => processes.find((process) => process.id === other && !process.isDeaf)?.elsewhere.look(),
        tellWanted: () => undefined,
      });
    }

    #held(): Partial<Held> {
      return {
        lend: () => {
          this.lent++;
          return new Place({ free: () => this.lent--, takeAgain: () => assert.fail("nothing waits") });
        },
        isShort: () => this.isShort,
        lent: (_worker, hand) => (this.onLent ? this.onLent(hand) : hand.end()),
        perform: async () => {
          this.running++;
          return { hear: () => undefined, ended: new Promise(() => undefined), freed: new Promise(() => undefined) };
        },
      };
    }

    #connection(): OpenedDatabase {
      const faulty =
        (query: Query): Query =>
        async (text, values) => {
          const answer = await query<never>(text, values);
          if (text.includes("set wants")) this.said.push(values?.[1] as string[]);
          if (this.loses?.test(text) !== true) return answer;
          this.loses = undefined;
          throw new Error("The answer was lost");
        };
      const { transaction } = database;
      return {
        ...database,
        query: faulty(database.query),
        transaction: (run) =>
          transaction((query) => run(query)).then(async (result) => {
            await faulty(async () => ({ rows: [] }))("commit");
            await this.answered;
            return result;
          }),
      };
    }
  }

  before(async () => {
    test = await testDatabase();
    await (await openStore(test.url)).close();
    database = await openDatabase(test.url, "svc");
    await prepareJobs(database.pool, silentLog);
    await database.query(clusterTables(database.schema));
  });
  beforeEach(async () => {
    processes = ["holder", "lender"].map((id) => new Process(id));
    for (const { id } of processes)
      await database.query(
        `insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build)
         values ($1, 1, 1, 'here', 'worker', '{w}', '{}', 'b')`,
        [id],
      );
  });
  afterEach(async () => {
    for (const { elsewhere } of processes) elsewhere.close();
    await database.query("delete from svc.processes");
    await database.query("delete from svc.node_calls");
  });
  after(async () => {
    await database.close();
    await test.drop();
  });

  const both = (): [holder: Process, lender: Process] => processes as [Process, Process];
  /** Moves the time of both, a little at a look. */
  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let looks = 0; !(await holds()); looks++) {
      assert.ok(looks < 300, `it did not come to that: ${what}`);
      for (const { clock } of processes) await clock.advance(100);
      await new Promise((next) => setTimeout(next, 5));
    }
  };
  const calls = async (): Promise<number> =>
    (await database.query<{ count: number }>("select count(*)::int from svc.node_calls")).rows[0]?.count ?? 0;
  const wants = async (): Promise<readonly string[]> =>
    (await database.query<{ wants: string[] }>("select wants from svc.processes where id = 'holder'")).rows[0]?.wants ??
    [];
  const ask = (lender: Process): void => lender.elsewhere.noticed([{ ...PEER, id: "holder", wants: ["w"] }]);

  it("are answered where none are wanted any more by the time that they come", async () => {
    const [, lender] = both();
    ask(lender);
    assert.ok(lender.lent > 0);
    await until("it has them back", () => lender.lent === 0);
    await until("nothing is left of it", async () => (await calls()) === 0);
  });

  it("are taken back where nobody answers", async () => {
    const [holder, lender] = both();
    holder.isDeaf = true;
    ask(lender);
    await until("they are offered", async () => (await calls()) === lender.lent);
    await until("it has them back", () => lender.lent === 0);
    await until("nothing is left of it", async () => (await calls()) === 0);
  });

  it("are lent to nobody where it is not known whether they were offered", async () => {
    const [holder, lender] = both();
    holder.isDeaf = true;
    lender.loses = /insert into svc\.node_calls|insert into "svc"\.node_calls|^commit$/;
    ask(lender);
    const lent = lender.lent;
    await until("one is offered no more", async () => lender.lent === lent - 1 && (await calls()) === lent - 1);
  });

  it("are not taken back from a node that began before it was known that they were offered", async () => {
    const [holder, lender] = both();
    let answer = (): void => undefined;
    lender.answered = new Promise((resolve) => (answer = resolve));
    lender.isShort = true;
    const context = { graphId: "g_1", nodeId: "n" } as AwayContext;
    let lost = 0;
    holder.onLent = (hand) =>
      void hand.call(
        { worker: "w", input: null, context, state: undefined },
        { hear: () => undefined, lost: () => lost++ },
      );
    ask(lender);
    await until("they are offered", async () => (await calls()) === lender.lent);
    holder.elsewhere.look();
    await until("they are used", () => lender.running === lender.lent);
    answer();
    await until("much time has passed", () => lender.clock.now() > Date.UTC(2026, 0, 1) + 20_000);
    assert.deepEqual([lost, await calls()], [0, lender.lent]);
  });

  it("lose an order that comes when nobody lends them any more, and with it their call", async () => {
    const [, lender] = both();
    await database.query(
      "insert into svc.node_calls (id, graph_id, holder, runner, body) values ('h_1', '', 'holder', 'lender', '{}')",
    );
    await database.query(
      `insert into svc.node_messages (call, to_runner, n, process, body) values ('h_1', true, 0, 'lender', '{"type":"order"}')`,
    );
    lender.elsewhere.look();
    await until("whoever gave it sees that it is gone", async () => (await calls()) === 0);
  });

  it("are wanted, and wanted no more, though the database was away as that was said", async () => {
    const [holder] = both();
    holder.loses = /set wants/;
    holder.elsewhere.want("w", true);
    await until("the answer was lost", () => holder.loses === undefined);
    await database.query("update svc.processes set wants = '{}'");
    await until("it is said again", async () => (await wants()).length === 1);
    holder.loses = /set wants/;
    holder.elsewhere.want("w", false);
    await until("the answer was lost", () => holder.loses === undefined);
    await database.query("update svc.processes set wants = '{w}'");
    await until("it is said again", async () => (await wants()).length === 0);
  });

  it("are not wanted by a process that stops", async () => {
    const [holder] = both();
    await holder.elsewhere.leave();
    holder.elsewhere.want("w", true);
    holder.elsewhere.joined();
    await until("what it wants is written", () => holder.said.length >= 2);
    assert.deepEqual(
      holder.said.filter((names) => names.length > 0),
      [],
    );
  });
});
