/** The contract of every store (src/storage/contract/contract.ts), tested on each. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Store } from "./contract.ts";
import type { GraphRow } from "./graph-rows.ts";
import type { Transition } from "./transition.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { ENCRYPTED, openedStore } from "./opened-store.testkit.ts";
import { attemptRow, graphRow, nextId, nodeRow, outboxRow, stored } from "./sample-rows.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-store-"));
after(() => rmSync(folder, { recursive: true }));

/** Size of a result in the database. An encrypted one has its head, and base64 of 40 bytes more. */
function storedBytes(kind: string, result: unknown): number {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return kind.startsWith(ENCRYPTED) ? '"svc:enc:1:test:"'.length + Math.ceil(((bytes + 40) * 4) / 3) : bytes;
}

for (const kind of [
  `sqlite:${join(folder, "conformance.db")}`,
  "postgres:",
  `encrypted sqlite:${join(folder, "encrypted.db")}`,
  "encrypted postgres:",
  "bucket sqlite::memory:",
]) {
  describe(`the store ${kind.split(":")[0]}`, { skip: kind.endsWith("postgres:") && (await withoutPostgres()) }, () => {
    const opened = openedStore(kind);
    let store: Store;
    before(async () => void (store = await opened.open()));
    after(() => opened.close());

    it("gives an id to one of several concurrent claims, and returns its answer to all later ones", async () => {
      const row = { id: "answer-1", bodyHash: "h", createdMs: 1000, answer: undefined };
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.answers.claim(row, 0)));
      assert.equal(claims.filter((known) => known === undefined).length, 1);
      assert.deepEqual(claims.find(Boolean), row);
      assert.deepEqual(await store.answers.find("answer-1"), row);
      await store.answers.settle("answer-1", 200, "half");
      await store.answers.settle("answer-1", 422, '{"ok":false}');
      const answer = { status: 422, body: '{"ok":false}' };
      assert.deepEqual(await store.answers.claim({ ...row, bodyHash: "other", createdMs: 2000 }, 0), {
        ...row,
        answer,
      });
      assert.deepEqual(await store.answers.find("answer-1"), { ...row, answer });
      assert.equal(await store.answers.find("answer-none"), undefined);
    });

    it("gives an id again if its answer has expired, and deletes expired answers", async () => {
      const row = { id: "answer-2", bodyHash: "h", createdMs: 1000, answer: undefined };
      await store.answers.claim(row, 0);
      await store.answers.settle("answer-2", 200, "{}");
      const next = { ...row, bodyHash: "new", createdMs: 5000 };
      assert.equal(await store.answers.claim(next, 1001), undefined);
      assert.deepEqual(await store.answers.claim(next, 1001), next);
      await store.answers.purge(5000);
      assert.deepEqual(await store.answers.claim(next, 0), next);
      await store.answers.purge(5001);
      assert.equal(await store.answers.claim(next, 0), undefined);
    });

    it("returns runs and nodes as they were written", async () => {
      const id = nextId();
      const row = graphRow(id, {
        error: { message: "m", reason: "error", node: "n" },
        progress: { value: 0.5, note: "half" },
      });
      assert.equal(await store.graphs.commit({ graphId: id, insert: row, insertNodes: [nodeRow(id, "a")] }), true);
      assert.deepEqual(await store.graphs.graph(id), row);
      assert.deepEqual((await stored(store, id))?.nodes, [nodeRow(id, "a")]);
      assert.equal(await store.graphs.graph("g_unknown"), undefined);
    });

    it("lists nodes without their inputs, results and state, but with the size of their results", async () => {
      const [id, other] = [nextId(), nextId()];
      const error = { message: "m", reason: "error" as const, node: "a" };
      const results = [undefined, null, "@šž", { text: "ž".repeat(70_000) }, true];
      const rows = results.map((result, at) => ({ ...nodeRow(id, `n${at}`), error, result, state: { kept: at } }));
      const events = [{ graphId: id, type: "log" as const, timestampMs: 1 }];
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: rows, events });
      await store.graphs.commit({ graphId: other, insert: graphRow(other) });
      const bytes = results.map((result) => (result ? storedBytes(kind, result) : undefined));
      const nodes = rows.map(({ input: _input, result: _result, state: _state, ...head }, at) => ({
        ...head,
        resultBytes: bytes[at],
      }));
      assert.deepEqual(await store.graphs.heads([other, "g_unknown", id]), [
        { row: graphRow(other), nodes: [], lastSeq: 0 },
        { row: graphRow(id), nodes, lastSeq: 1 },
      ]);
      const back = { id: "n3", result: "short" };
      await store.graphs.commit({ graphId: id, nodes: [back] });
      assert.equal((await store.graphs.heads([id]))[0]?.nodes[3]?.resultBytes, storedBytes(kind, "short"));
      const slice = async (limit: number, after?: string) =>
        (await store.graphs.heads([id, other], { limit, ...(after !== undefined && { after }) })).map((one) =>
          one.nodes.map((node) => node.id),
        );
      assert.deepEqual(await slice(2), [["n0", "n1"], []]);
      assert.deepEqual(await slice(9, "n2"), [["n3", "n4"], []]);
      assert.deepEqual(await slice(0), [[], []]);
    });

    it("changes only the columns that a transition names", async () => {
      const id = nextId();
      await store.graphs.commit({
        graphId: id,
        insert: graphRow(id),
        insertNodes: [nodeRow(id, "a"), nodeRow(id, "b")],
      });
      await store.graphs.commit({
        graphId: id,
        graph: { status: "done", result: { ok: true } },
        nodes: [{ id: "a", status: "done", result: 0 }],
      });
      assert.deepEqual(await store.graphs.graph(id), graphRow(id, { status: "done", result: { ok: true } }));
      assert.deepEqual((await stored(store, id))?.nodes, [
        { ...nodeRow(id, "a"), status: "done", result: 0 },
        nodeRow(id, "b"),
      ]);
    });

    it("deletes nodes and inserts others in one transition", async () => {
      const id = nextId();
      const insertNodes = ["a", "a#fetch", "b"].map((name) => nodeRow(id, name));
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes });
      const again = { ...nodeRow(id, "a#fetch"), kind: "step" as const, state: { page: 2 } };
      await store.graphs.commit({ graphId: id, deleteNodes: ["a#fetch", "b", "unknown"], insertNodes: [again] });
      assert.deepEqual((await stored(store, id))?.nodes, [nodeRow(id, "a"), again]);
    });

    it("writes nodes of earlier epochs and the audit entry with the transition, or not at all", async () => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: [nodeRow(id, "a")] });
      const old = { ...nodeRow(id, "a"), status: "done" as const, result: [1] };
      const audit = {
        atMs: 1,
        actor: "operator",
        address: "::1",
        operation: "graph.retry",
        target: id,
        note: undefined,
        data: undefined,
      };
      const fence = { epoch: 1, phases: ["queued" as const] };
      const transition = {
        graphId: id,
        fence,
        graph: { phase: "running" as const, epoch: 2 },
        pastNodes: [old],
        audit,
      };
      assert.deepEqual([await store.graphs.commit(transition), await store.graphs.commit(transition)], [true, false]);
      await store.graphs.commit({ graphId: id, pastNodes: [{ ...old, epoch: 2, result: undefined }] });
      assert.deepEqual(await store.graphs.pastNodes(id), [old, { ...old, epoch: 2, result: undefined }]);
      assert.equal((await store.audit.list({ target: id })).total, 1);
    });

    it("lists the child runs of a run, without inputs and results", async () => {
      const [parent, first, second] = [nextId(), nextId(), nextId()];
      for (const id of [second, first]) {
        const insert = graphRow(id, { parentGraph: parent, parentNode: "n", idempotencyKey: `k${id}` });
        await store.graphs.commit({ graphId: id, insert });
      }
      const { worker, status, phase, epoch } = graphRow(first);
      const childOf = (id: string) => ({ id, worker, status, phase, epoch, idempotencyKey: `k${id}` });
      assert.deepEqual(
        await store.graphs.children([parent]),
        [first, second].sort().map((id) => ({ ...childOf(id), parentGraph: parent, parentNode: "n" })),
      );
    });

    it("returns false and changes nothing if the fence of a transition does not match", async () => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: [nodeRow(id, "a")] });
      const change = {
        graphId: id,
        graph: { status: "done" as const },
        events: [{ graphId: id, type: "log" as const, timestampMs: 1 }],
        outbox: [outboxRow(id)],
      };
      const wrong = [
        { epoch: 2, phases: ["queued" as const] },
        { epoch: 1, phases: ["running" as const] },
        { epoch: 1, phases: ["queued" as const], node: { id: "a", status: ["ready" as const], attempt: 1 } },
        { epoch: 1, phases: ["queued" as const], node: { id: "a", status: ["running" as const], attempt: 0 } },
        { epoch: 1, phases: ["queued" as const], node: { id: "zz", status: ["ready" as const], attempt: 0 } },
      ];
      for (const fence of wrong) assert.equal(await store.graphs.commit({ ...change, fence }), false);
      assert.equal(await store.graphs.commit({ graphId: "g_unknown", events: [] }), false);
      assert.deepEqual(await store.graphs.graph(id), graphRow(id));
      assert.deepEqual(await store.graphs.events(id, 0), []);
      assert.equal((await store.webhooks.listDeliveries({ graphId: id })).total, 0);
      const fence = {
        epoch: 1,
        phases: ["queued" as const],
        node: { id: "a", status: ["ready" as const], attempt: 0 },
      };
      assert.equal(await store.graphs.commit({ ...change, fence }), true);
    });

    it("rejects a transition based on one that was not written", async () => {
      const id = nextId();
      const event = { graphId: id, type: "log" as const, timestampMs: 1 };
      await store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event] });
      const onTopOf = (seq: number, epoch = 1) =>
        store.graphs.commit({ graphId: id, fence: { epoch, phases: ["queued"], seq }, events: [event] });
      assert.deepEqual(await Promise.all([onTopOf(1), onTopOf(2, 9), onTopOf(3), onTopOf(2)]), [
        true,
        false,
        false,
        true,
      ]);
      assert.equal((await stored(store, id))?.lastSeq, 3);
    });

    it("rejects the rest of a chain after one of its transitions was rejected, even if event numbers of another chain match", async () => {
      const id = nextId();
      const event = { graphId: id, type: "log" as const, timestampMs: 1 };
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      const transition = (line: number, seq: number) =>
        store.graphs.commit({ graphId: id, fence: { epoch: 1, phases: ["queued"], seq, line }, events: [event] });
      const [first, late] = [990_001, 990_002];
      assert.deepEqual(await Promise.all([transition(first, 0), transition(late, 0), transition(late, 1)]), [
        true,
        false,
        false,
      ]);
      assert.equal(await transition(late, 1), false);
      assert.equal(await transition(first, 1), true);
    });

    it("accepts only one of two concurrent transitions with the same fence", async () => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      const move = (phase: GraphRow["phase"]) =>
        store.graphs.commit({ graphId: id, fence: { epoch: 1, phases: ["queued"] }, graph: { phase } });
      assert.deepEqual(await Promise.all([move("running"), move("cancelling")]), [true, false]);
      assert.equal((await store.graphs.graph(id))?.phase, "running");
    });

    it("numbers events from 1 without gaps, and notifies listeners after the commit", async () => {
      const id = nextId();
      const heard: number[] = [];
      const stop = store.graphs.onEvents(id, (events) => heard.push(...events.map((event) => event.seq)));
      const other = nextId();
      await store.graphs.commit({
        graphId: other,
        insert: graphRow(other),
        events: [{ graphId: other, type: "custom", timestampMs: 1 }],
      });
      const event = (data: number) => ({ graphId: id, type: "custom" as const, node: "n", timestampMs: data, data });
      await store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event(1), event(2)] });
      await Promise.all([3, 4, 5].map((data) => store.graphs.commit({ graphId: id, events: [event(data)] })));
      stop();
      assert.deepEqual(
        (await store.graphs.events(id, 0)).map(({ seq, data }) => [seq, data]),
        [
          [1, 1],
          [2, 2],
          [3, 3],
          [4, 4],
          [5, 5],
        ],
      );
      assert.deepEqual(
        (await store.graphs.events(id, 2, 2)).map(({ seq }) => seq),
        [3, 4],
      );
      assert.deepEqual(await store.graphs.events(id, 0, 1), [
        { graphId: id, seq: 1, type: "custom", node: "n", timestampMs: 1, data: 1 },
      ]);
      assert.deepEqual(heard, [1, 2, 3, 4, 5]);
    });

    it("returns events as they were written, for any node names and data", async () => {
      const id = nextId();
      const text = "' \" \\ \n \u2028 ž 😀 ],[";
      const events = [
        { graphId: id, type: "graph.queued" as const, timestampMs: 1 },
        {
          graphId: id,
          type: "custom" as const,
          timestampMs: 2,
          node: `a#${text}`,
          data: { [text]: [text, null, 0.1] },
        },
        { graphId: id, type: "log" as const, timestampMs: 3, data: text },
        { graphId: id, type: "custom" as const, timestampMs: 4, node: text, data: null },
      ];
      await store.graphs.commit({ graphId: id, insert: graphRow(id), events });
      assert.deepEqual(
        await store.graphs.events(id, 0),
        events.map((event, at) => ({ ...event, seq: at + 1 })),
      );
    });

    it("does not affect other transitions when one fails", async () => {
      const [first, second] = [nextId(), nextId()];
      await store.graphs.commit({ graphId: first, insert: graphRow(first, { idempotencyKey: `k${first}` }) });
      const results = await Promise.allSettled([
        store.graphs.commit({ graphId: first, insert: graphRow(first) }),
        store.graphs.commit({ graphId: second, insert: graphRow(second) }),
        store.graphs.commit({ graphId: "g_dup", insert: graphRow("g_dup", { idempotencyKey: `k${first}` }) }),
      ]);
      assert.deepEqual(
        results.map((result) => result.status),
        ["rejected", "fulfilled", "rejected"],
      );
      assert.equal((await store.graphs.graph(second))?.id, second);
      assert.equal(await store.graphs.graph("g_dup"), undefined);
      assert.equal((await store.graphs.byIdempotencyKey("w", `k${first}`))?.id, first);
    });

    it("writes an outbox row once per registration, run, event, epoch and pause", async () => {
      const id = nextId();
      let woken = 0;
      const stop = store.webhooks.onOutbox(() => woken++);
      await store.graphs.commit({
        graphId: id,
        insert: graphRow(id),
        outbox: [outboxRow(id), outboxRow(id, { registrationId: "wh_2" })],
      });
      await store.graphs.commit({
        graphId: id,
        outbox: [outboxRow(id), outboxRow(id, { pauseNo: 1, event: "graph.paused" })],
      });
      stop();
      assert.equal((await store.webhooks.listDeliveries({ graphId: id })).total, 3);
      assert.ok(woken >= 2);
    });

    it("lists runs newest first, with filters and pages", async () => {
      const ids = Array.from({ length: 5 }, nextId);
      for (const id of ids)
        await store.graphs.commit({ graphId: id, insert: graphRow(id, { worker: "paged", tags: ["page", id] }) });
      const first = await store.graphs.list({ worker: "paged", limit: 2 });
      assert.deepEqual([first.items.map((row) => row.id), first.total], [[ids[4], ids[3]], 5]);
      const second = await store.graphs.list({ worker: "paged", limit: 2, cursor: first.nextCursor as string });
      const third = await store.graphs.list({ worker: "paged", limit: 2, cursor: second.nextCursor as string });
      assert.deepEqual(
        [...second.items, ...third.items].map((row) => row.id),
        [ids[2], ids[1], ids[0]],
      );
      assert.equal(third.nextCursor, undefined);
      assert.equal((await store.graphs.list({ tag: ids[1] as string })).items[0]?.id, ids[1]);
      assert.equal((await store.graphs.list({ worker: "paged", status: "done" })).total, 0);
    });

    it("lists the searchable columns of a run, but not its input and result", async () => {
      const id = nextId();
      const error = { message: "m", reason: "error" as const, node: "n" };
      const origin = { kind: "code" as const };
      const given = { worker: "headed", error, startedMs: 7, summary: "one line", origin, attributes: { plan: "pro" } };
      const insert = graphRow(id, { ...given, input: { a: 1 }, result: [2], tags: ["page", id] });
      await store.graphs.commit({ graphId: id, insert });
      const { status } = insert;
      assert.deepEqual((await store.graphs.list({ worker: "headed" })).items, [
        { id, ...given, status, tags: ["page", id], parentGraph: undefined, finishedMs: undefined },
      ]);
    });

    it("returns unfinished runs, oldest first, and counts runs by status", async () => {
      const [running, done] = [nextId(), nextId()];
      await store.graphs.commit({
        graphId: running,
        insert: graphRow(running, { status: "running", phase: "running" }),
      });
      const doneBefore = (await store.graphs.countByStatus()).done;
      await store.graphs.commit({ graphId: done, insert: graphRow(done, { status: "done", phase: "done" }) });
      const ids = await store.graphs.unfinished("", 1000);
      assert.ok(ids.includes(running) && !ids.includes(done));
      assert.deepEqual(ids, ids.toSorted());
      const isAmong = async (except: string[]): Promise<boolean> =>
        (await store.graphs.unfinished("", 1000, except)).includes(running);
      assert.deepEqual([await isAmong([graphRow(running).definition]), await isAmong(["another"])], [false, true]);
      assert.equal((await store.graphs.countByStatus()).done, doneBefore + 1);
    });

    it("returns running runs that wait for a signal, oldest first", async () => {
      const [first, second, sleeps, paused] = [nextId(), nextId(), nextId(), nextId()];
      const add = async (id: string, status: "running" | "paused", kind: "wait" | "sleep"): Promise<void> => {
        const insertNodes = [{ ...nodeRow(id, "a#approval"), kind, status: "waiting" as const }];
        await store.graphs.commit({ graphId: id, insert: graphRow(id, { status, phase: status }), insertNodes });
      };
      await add(second, "running", "wait");
      await add(first, "running", "wait");
      await add(sleeps, "running", "sleep");
      await add(paused, "paused", "wait");
      const found = (await store.graphs.waiting(1000)).filter((id) => [first, second, sleeps, paused].includes(id));
      assert.deepEqual(found, [first, second]);
      assert.equal((await store.graphs.waiting(1)).length, 1);
    });

    it("deletes runs that finished before a time, with their deliveries, and nothing else", async () => {
      const finished = { worker: "purged", status: "done" as const, phase: "done" as const, tags: ["old"] };
      const add = async (change: Partial<GraphRow>, transition: Partial<Transition> = {}): Promise<string> => {
        const id = nextId();
        await store.graphs.commit({
          graphId: id,
          insert: graphRow(id, { ...finished, finishedMs: 5000, ...change }),
          insertNodes: [nodeRow(id, "a")],
          events: [{ graphId: id, type: "graph.done", timestampMs: 1 }],
          ...transition,
        });
        return id;
      };
      const gone = [await add({}), await add({ status: "failed", phase: "failed", finishedMs: 5999 })];
      const [delivered] = gone as [string];
      const delivery = outboxRow(delivered);
      await store.webhooks.addDelivery(delivery);
      const attempt = attemptRow(delivery.id);
      await store.webhooks.recordAttempts([{ attempt, change: { status: "delivered", deliveredMs: 5 } }]);
      const running = await add({ status: "running", phase: "running", finishedMs: undefined });
      const kept = [
        running,
        await add({ finishedMs: 6000 }),
        await add({ worker: "other" }),
        await add({ parentGraph: running, parentNode: "a" }),
      ];
      const waiting = await add({}, {});
      await store.webhooks.addDelivery(outboxRow(waiting, { dueMs: 1e12 }));
      assert.ok((await store.graphs.workers()).includes("purged"));

      let deleted = 0;
      let after: string | undefined = "";
      while (after !== undefined) {
        const step = await store.graphs.purge({ worker: "purged", finishedBeforeMs: 6000, limit: 2, after });
        deleted += step.deleted;
        after = step.next;
      }
      assert.equal(deleted, 2);
      for (const id of gone) {
        assert.deepEqual([await stored(store, id), await store.graphs.events(id, 0)], [undefined, []]);
      }
      assert.deepEqual(
        [await store.webhooks.delivery(delivery.id), await store.webhooks.attempts(delivery.id)],
        [undefined, []],
      );
      for (const id of [...kept, waiting]) assert.equal((await store.graphs.graph(id))?.id, id);
      assert.equal((await store.graphs.list({ worker: "purged" })).total, 4);
      assert.equal((await store.graphs.list({ worker: "purged", tag: "old" })).items.length, 4);
      assert.equal((await store.graphs.purge({ worker: "purged", tag: "new", finishedBeforeMs: 1e13 })).deleted, 0);
    });

    it("keeps the last write of each session until it is removed or purged", async () => {
      const { sessions } = store;
      assert.equal(await sessions.read("s1"), undefined);
      await Promise.all([sessions.write("s1", '{"a":1}', 100), sessions.write("s2", "{}", 200)]);
      await sessions.write("s1", '{"a":"ž"}', 300);
      assert.equal(await sessions.read("s1"), '{"a":"ž"}');
      await sessions.purge(200);
      assert.deepEqual([await sessions.read("s1"), await sessions.read("s2")], ['{"a":"ž"}', undefined]);
      await sessions.remove("s1");
      assert.equal(await sessions.read("s1"), undefined);
      await sessions.remove("s1");
    });

    it("replaces an existing session, and does not restore a removed one", async () => {
      const { sessions } = store;
      await sessions.write("s3", '{"a":1}', 100);
      assert.equal(await sessions.replace("s3", '{"a":"ž"}', 300), true);
      await sessions.purge(200);
      assert.equal(await sessions.read("s3"), '{"a":"ž"}');
      await sessions.remove("s3");
      assert.equal(await sessions.replace("s3", "{}", 300), false);
      assert.equal(await sessions.read("s3"), undefined);
    });
  });
}
