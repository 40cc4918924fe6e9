/** A place that is lent, beside a database that holds nothing but the messages of its holder. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { encode } from "../execution/remote/remote-call-messages.ts";
import type { Channel } from "../execution/remote/remote-attempts.ts";
import { Place } from "../execution/queue/slot.ts";
import type { ClusterDatabase, Rows } from "./database.ts";
import { LentPlace } from "./lent-slot.ts";
import { Messages, type HolderSays } from "./messages.ts";

const CONTEXT = { graphId: "g_1", nodeId: "n", attempt: 1, epoch: 1, deps: {} };
const ORDER: HolderSays = {
  type: "order",
  order: { worker: "w", input: null, context: CONTEXT, state: undefined },
  isShort: false,
};

/** A place that is lent and in which a node has begun. */
async function lent() {
  const clock = new SimulatedClock();
  const place = new Place({ free: () => undefined, takeAgain: () => undefined });
  const written: string[] = [];
  let id = "";
  let orders: string[] = [];
  const rowsOf = (text: string, values: readonly unknown[]): object[] => {
    if (text.includes("insert into svc.node_calls")) return [{ call: (id = String(values[0])) }];
    if (text.startsWith("select call"))
      return orders.splice(0).map((body) => ({ call: id, to_runner: true, n: 0, body }));
    if (!text.startsWith("with said")) return [];
    written.push(String(values[0]));
    return [{ call: id, process: "p_2" }];
  };
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Rows<Row>> => ({
    rows: rowsOf(text, values) as Row[],
  });
  const nothing = (): never => assert.fail("not asked for here");
  const database: ClusterDatabase = { schema: "svc", query, transaction: (run) => run(query), session: nothing };
  const tell = (): void => undefined;
  const messages = new Messages({ database, clock, log: silentLog, me: () => "p_1", tell, onOpened: tell });
  let channel: Channel | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let isOver = false;
  const lentPlace = new LentPlace({
    database,
    messages,
    clock,
    me: "p_1",
    holder: "p_2",
    worker: "w",
    place,
    perform: async (_order, given) => {
      channel = given;
      return { hear: () => undefined, ended, freed: place.freed };
    },
    isWanted: () => false,
    onRoom: () => undefined,
    onOver: () => (isOver = true),
  });
  await lentPlace.open();
  orders = [encode(ORDER)];
  messages.look();
  await clock.advance(0);
  const finish = async (): Promise<void> => {
    channel?.say({ type: "ended", settlement: { value: 1 } });
    end();
    await clock.advance(0);
  };
  return { place, finish, written, isOver: () => isOver };
}

describe("a place that is lent", () => {
  it("stays so after a node has ended in it", async () => {
    const { finish, written, isOver } = await lent();
    await finish();
    assert.match(written.join(), /ended/);
    assert.equal(isOver(), false);
  });

  it("is lent no more where the node ends that has given it away for a wait: another has it by then", async () => {
    const { place, finish, written, isOver } = await lent();
    place.free();
    await finish();
    assert.match(written.join(), /isLast[^,]*true/);
    assert.equal(isOver(), true);
  });
});
