/** Nodes of other processes' graphs that this one runs, beside a database that is none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { encode } from "../execution/remote/remote-call-messages.ts";
import { Calls, type CallsOptions } from "./remote-calls.ts";
import type { ClusterDatabase, Rows } from "./database.ts";
import { Messages } from "./messages.ts";

const ORDER = { worker: "w", input: null, context: { graphId: "g_1", nodeId: "n", attempt: 1, epoch: 1, deps: {} } };

/** A process that has what it asks for, and says what it writes. */
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
    database,
    clock: new SimulatedClock(),
    log: silentLog,
    me: () => "p_1",
    notify: () => undefined,
  });
  return { written, messages, calls: new Calls({ database, messages, me: () => "p_1", perform }) };
}

describe("a job for a node of another process's graph", () => {
  it("is done, and forgotten, when the node is cancelled while it waits for a place", async () => {
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

  it("is left off, for another, where the worker can't be begun", async () => {
    const { written, messages, calls } = running(() => Promise.reject(new Error("no thread")));
    await calls.run("n_1");
    assert.equal(messages.has("n_1"), false);
    assert.match(written.join(), /Unfinished/);
  });
});
