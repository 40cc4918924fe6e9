/** Nodes that this process runs for the runs of other processes, with a fake database. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import { encode } from "../execution/remote/remote-call-messages.ts";
import { Calls, type CallsOptions } from "./remote-calls.ts";
import type { ClusterDatabase, Rows } from "./database.ts";
import { Messages } from "./messages.ts";

const cipher = new PayloadCipher([]);
const ORDER = { worker: "w", input: null, context: { graphId: "g_1", nodeId: "n", attempt: 1, epoch: 1, deps: {} } };

/** A process that receives its job, and records its messages. */
function running(perform: CallsOptions["perform"]) {
  const written: string[] = [];
  const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Rows<Row>> => {
    if (text.includes("insert into svc.node_messages")) written.push(String(values?.[0]));
    const rows: object[] = text.includes("set runner") ? [{ body: encode(ORDER), is_free: false }] : [];
    return { rows: rows as Row[] };
  };
  const nothing = (): never => assert.fail("not asked for here");
  const database: ClusterDatabase = { schema: "svc", query, transaction: nothing, session: nothing };
  const messages = new Messages({
    cipher,
    database,
    clock: new SimulatedClock(),
    log: silentLog,
    me: () => "p_1",
    notify: () => undefined,
  });
  return { written, messages, calls: new Calls({ database, cipher, messages, me: () => "p_1", perform }) };
}

describe("a job for a node that another process owns", () => {
  it("is finished and forgotten if the node is cancelled while it waits for a slot", async () => {
    const { messages, calls } = running(
      (_order, { signal }) =>
        new Promise((_begun, refuse) => signal.addEventListener("abort", () => refuse(signal.reason as Error))),
    );
    const run = calls.run("n_1");
    await new Promise((turn) => setImmediate(turn));
    assert.equal(messages.has("n_1"), true);
    messages.dropAll();
    await run;
    assert.equal(messages.has("n_1"), false);
  });

  it("is released for another process if its worker can't be started", async () => {
    const { written, messages, calls } = running(() => Promise.reject(new Error("no thread")));
    await calls.run("n_1");
    assert.equal(messages.has("n_1"), false);
    assert.match(written.join(), /Unfinished/);
  });
});
