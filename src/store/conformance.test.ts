/** What every store promises (src/store/contract.ts), run on each. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Store } from "./contract.ts";
import type { GraphRow } from "./graph-rows.ts";
import type { Unit } from "./unit.ts";
import type { OutboxRow } from "./webhook-rows.ts";
import { withoutPostgres } from "../testing/test-database.ts";
import { openedStore } from "./opened-store.test.ts";
import { attemptRow, graphRow, nextId, nodeRow, outboxRow, registrationRow, stored } from "./sample-rows.test.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-store-"));
after(() => rmSync(folder, { recursive: true }));

for (const kind of ["memory:", `sqlite:${join(folder, "conformance.db")}`, "postgres:"]) {
  describe(`store ${kind.split(":")[0]}`, { skip: kind === "postgres:" && (await withoutPostgres()) }, () => {
    const opened = openedStore(kind);
    let store: Store;
    before(async () => void (store = await opened.open()));
    after(() => opened.close());

    it("gives an id to one call of many at once, and its answer to all later ones", async () => {
      const row = { id: "answer-1", bodyHash: "h", createdMs: 1000, answer: undefined };
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.answers.claim(row, 0)));
      assert.equal(claims.filter((known) => known === undefined).length, 1);
      assert.deepEqual(claims.find(Boolean), row);
      await store.answers.settle("answer-1", 422, '{"ok":false}');
      const answer = { status: 422, body: '{"ok":false}' };
      assert.deepEqual(await store.answers.claim({ ...row, bodyHash: "other", createdMs: 2000 }, 0), {
        ...row,
        answer,
      });
    });

    it("gives an id anew whose answer is too old, and deletes those", async () => {
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

    it("keeps graphs and nodes as they were given", async () => {
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

    it("changes what a unit names and nothing else", async () => {
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

    it("takes nodes away, and puts others in their place in the same unit", async () => {
      const id = nextId();
      const insertNodes = ["a", "a#fetch", "b"].map((name) => nodeRow(id, name));
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes });
      const again = { ...nodeRow(id, "a#fetch"), kind: "step" as const, state: { page: 2 } };
      await store.graphs.commit({ graphId: id, deleteNodes: ["a#fetch", "b", "unknown"], insertNodes: [again] });
      assert.deepEqual((await stored(store, id))?.nodes, [nodeRow(id, "a"), again]);
    });

    it("keeps rows of earlier epochs and who wanted it, with the unit or not at all", async () => {
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
      const unit = { graphId: id, fence, graph: { phase: "running" as const, epoch: 2 }, pastNodes: [old], audit };
      assert.deepEqual([await store.graphs.commit(unit), await store.graphs.commit(unit)], [true, false]);
      await store.graphs.commit({ graphId: id, pastNodes: [{ ...old, epoch: 2, result: undefined }] });
      assert.deepEqual(await store.graphs.pastNodes(id), [old, { ...old, epoch: 2, result: undefined }]);
      assert.equal((await store.audit.list({ target: id })).total, 1);
    });

    it("finds the graphs that one has started", async () => {
      const [parent, first, second] = [nextId(), nextId(), nextId()];
      for (const id of [second, first]) {
        const insert = graphRow(id, { parentGraph: parent, parentNode: "n" });
        await store.graphs.commit({ graphId: id, insert });
      }
      assert.deepEqual(
        (await store.graphs.children([parent])).map(({ id }) => id),
        [first, second].sort(),
      );
    });

    it("a unit whose fence does not match changes nothing and yields false", async () => {
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

    it("refuses a unit that was made on top of one which was not written", async () => {
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

    it("refuses the rest of a line of which one was not written, though another's events count alike", async () => {
      const id = nextId();
      const event = { graphId: id, type: "log" as const, timestampMs: 1 };
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      const unit = (line: number, seq: number) =>
        store.graphs.commit({ graphId: id, fence: { epoch: 1, phases: ["queued"], seq, line }, events: [event] });
      const [first, late] = [990_001, 990_002];
      assert.deepEqual(await Promise.all([unit(first, 0), unit(late, 0), unit(late, 1)]), [true, false, false]);
      assert.equal(await unit(late, 1), false);
      assert.equal(await unit(first, 1), true);
    });

    it("of two units with the same fence, asked for at once, one wins", async () => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      const move = (phase: GraphRow["phase"]) =>
        store.graphs.commit({ graphId: id, fence: { epoch: 1, phases: ["queued"] }, graph: { phase } });
      assert.deepEqual(await Promise.all([move("running"), move("cancelling")]), [true, false]);
      assert.equal((await store.graphs.graph(id))?.phase, "running");
    });

    it("numbers events from 1 without gaps, and tells listeners after the commit", async () => {
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

    it("keeps events as they were told, whatever their nodes are called and their data holds", async () => {
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

    it("a unit that fails leaves its neighbours alone", async () => {
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

    it("an outbox row is written once per registration, graph, event, epoch and pause", async () => {
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

    it("lists graphs newest first, by filter, page after page", async () => {
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

    it("gives back unfinished graphs, oldest first, and counts by status", async () => {
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
      assert.equal((await store.graphs.countByStatus()).done, doneBefore + 1);
    });

    it("gives back running graphs that wait for a signal, oldest first", async () => {
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

    it("takes away what has finished before a time, with its deliveries, and nothing else", async () => {
      const finished = { worker: "purged", status: "done" as const, phase: "done" as const, tags: ["old"] };
      const add = async (change: Partial<GraphRow>, unit: Partial<Unit> = {}): Promise<string> => {
        const id = nextId();
        await store.graphs.commit({
          graphId: id,
          insert: graphRow(id, { ...finished, finishedMs: 5000, ...change }),
          insertNodes: [nodeRow(id, "a")],
          events: [{ graphId: id, type: "graph.done", timestampMs: 1 }],
          ...unit,
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

    it("keeps registrations, one per URL", async () => {
      const row = registrationRow("wh_a", { secret: "s3cret!!" });
      await store.webhooks.saveRegistration(row);
      assert.deepEqual(await store.webhooks.registration("wh_a"), row);
      await store.webhooks.saveRegistration({ ...row, enabled: false });
      assert.equal((await store.webhooks.registrationByUrl(row.url))?.enabled, false);
      await assert.rejects(store.webhooks.saveRegistration(registrationRow("wh_b", { url: row.url })), /UNIQUE/);
      assert.equal(await store.webhooks.deleteRegistration("wh_a"), true);
      assert.equal(await store.webhooks.deleteRegistration("wh_a"), false);
      assert.deepEqual(await store.webhooks.registrations(), []);
    });

    it("changes a registration as it is stored, one change after the other", async () => {
      await store.webhooks.saveRegistration(registrationRow("wh_counted"));
      const count = () =>
        store.webhooks.changeRegistration("wh_counted", (row) => ({
          ...row,
          consecutiveFailures: row.consecutiveFailures + 1,
        }));
      await Promise.all(Array.from({ length: 20 }, count));
      assert.equal((await store.webhooks.registration("wh_counted"))?.consecutiveFailures, 20);
      const same = await store.webhooks.changeRegistration("wh_counted", (row) => row);
      assert.equal(same?.after, same?.before);
      assert.equal(await store.webhooks.changeRegistration("wh_none", (row) => row), undefined);
      await store.webhooks.deleteRegistration("wh_counted");
    });

    it("hands out the deliveries of a lane that are due, records attempts, requeues", async () => {
      const id = nextId();
      const registrationId = `wh_${id}`;
      const rows = [30, 10, 20].map((dueMs, at) =>
        outboxRow(id, { dueMs, createdMs: at, registrationId, pauseNo: at + 1, event: "graph.paused" }),
      );
      for (const row of rows) await store.webhooks.addDelivery(row);
      const due = async (isRetry: boolean, nowMs: number, limit = 100) =>
        (await store.webhooks.due({ registrationId, isRetry }, nowMs, limit)).map((row) => row.dueMs);
      const next = (isRetry: boolean, afterMs: number) =>
        store.webhooks.nextDueMs({ registrationId, isRetry }, afterMs);
      assert.deepEqual(
        [await due(false, 9), await due(false, 25), await due(false, 99, 2), await due(true, 99)],
        [[], [10, 20], [10, 20], []],
      );
      assert.deepEqual(
        [await next(false, 9), await next(false, 10), await next(false, 30), await next(true, 0)],
        [10, 20, undefined, undefined],
      );
      assert.ok((await store.webhooks.pendingRegistrations()).includes(registrationId));
      const [first, second] = [rows[1] as OutboxRow, rows[2] as OutboxRow];
      const attempt = attemptRow(first.id, {
        statusCode: 500,
        response: "no",
        responseHeaders: { "retry-after": "30", "x-\u017e": "\u0000 \u{1f600}" },
        timings: { connect: 1, first_byte: 2 },
      });
      const answered = attemptRow(second.id, { startedMs: 3 });
      await store.webhooks.recordAttempts([
        { attempt, change: { status: "pending", dueMs: 500 } },
        { attempt: answered, change: { status: "delivered", deliveredMs: 501 } },
      ]);
      assert.deepEqual(await store.webhooks.attempts(first.id), [attempt]);
      assert.deepEqual(await store.webhooks.attempts(second.id), [answered]);
      const refused = { startedMs: 1, durationMs: 2, statusCode: 500, error: undefined };
      const taken = { ...refused, startedMs: 3, statusCode: 204 };
      assert.deepEqual(await store.webhooks.latestOutcomes(registrationId, 1), [taken]);
      assert.deepEqual(await store.webhooks.latestOutcomes(registrationId, 9), [taken, refused]);
      const again = attemptRow(first.id, {
        number: 2,
        startedMs: 9,
        statusCode: undefined,
        error: "connection failed",
      });
      await store.webhooks.recordAttempts([{ attempt: again, change: { status: "pending", dueMs: 500 } }]);
      const ofEach = await store.webhooks.lastOutcomes([second.id, "msg_none", first.id]);
      assert.deepEqual(
        ofEach.sort((a, b) => a.startedMs - b.startedMs),
        [
          { deliveryId: second.id, ...taken },
          { deliveryId: first.id, startedMs: 9, durationMs: 2, statusCode: undefined, error: "connection failed" },
        ],
      );
      const shown = await store.webhooks.delivery(first.id);
      assert.deepEqual([shown?.status, shown?.attempts, shown?.dueMs], ["pending", 2, 500]);
      assert.deepEqual([await due(false, 999), await due(true, 999), await due(true, 499)], [[30], [500], []]);
      const { status, deliveredMs } = (await store.webhooks.delivery(second.id)) ?? {};
      assert.deepEqual([status, deliveredMs], ["delivered", 501]);
      assert.equal(await store.webhooks.requeue(second.id, 7), true);
      assert.equal(await store.webhooks.requeue("msg_unknown", 7), false);
      assert.deepEqual(await due(true, 8), [7]);
    });

    it("says what of a graph comes before a delivery, and makes what waits for it due", async () => {
      const id = nextId();
      const registrationId = `wh_${id}`;
      const row = (event: OutboxRow["event"], epoch: number, pauseNo: number, dueMs: number): OutboxRow =>
        outboxRow(id, { registrationId, event, epoch, pauseNo, dueMs });
      const rows = [
        row("graph.done", 2, 1, 900),
        row("graph.failed", 1, 1, 30),
        row("graph.paused", 1, 1, 20),
        row("graph.paused", 2, 1, 800),
      ];
      for (const each of rows) await store.webhooks.addDelivery(each);
      await store.webhooks.addDelivery(outboxRow(nextId(), { registrationId, dueMs: 1 }));
      assert.deepEqual(await Promise.all(rows.map((each) => store.webhooks.earlierDueMs(each))), [
        20,
        20,
        undefined,
        20,
      ]);
      await store.webhooks.release(registrationId, id, 500);
      assert.deepEqual(
        await Promise.all(rows.map(async (each) => (await store.webhooks.delivery(each.id))?.dueMs)),
        [500, 30, 20, 500],
      );
    });

    it("tells which registrations have something to deliver", async () => {
      const told: string[] = [];
      const stop = store.webhooks.onOutbox((ids) => told.push(...ids));
      const id = nextId();
      const row = outboxRow(id, { registrationId: `wh_${id}` });
      await store.webhooks.addDelivery(row);
      await store.webhooks.requeue(row.id, 9);
      stop();
      await store.webhooks.requeue(row.id, 10);
      assert.deepEqual(told, [`wh_${id}`, `wh_${id}`]);
    });

    it("lists deliveries newest first, by filter, page after page", async () => {
      const id = nextId();
      for (let at = 0; at < 5; at++)
        await store.webhooks.addDelivery(
          outboxRow(id, { createdMs: at < 3 ? 100 : 200, registrationId: `wh_list${at}` }),
        );
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.webhooks.listDeliveries({
          graphId: id,
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        assert.equal(page.total, 5);
        seen.push(...page.items.map((row) => row.id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.equal(new Set(seen).size, 5);
      const created = await Promise.all(
        seen.map(async (deliveryId) => (await store.webhooks.delivery(deliveryId))?.createdMs),
      );
      assert.deepEqual(created, [200, 200, 100, 100, 100]);
    });

    it("tells what of a registration has failed, newest first, page after page, and makes that pending", async () => {
      const registrationId = `wh_${nextId()}`;
      const row = (createdMs: number, more: Partial<OutboxRow> = {}): OutboxRow =>
        outboxRow(nextId(), { registrationId, createdMs, ...more });
      const failed = [row(200), row(300, { event: "graph.paused" }), row(300), row(400)];
      const other = row(300, { registrationId: "wh_of_others" });
      const [old, arrived, waiting] = [row(100), row(300), row(300)];
      for (const each of [...failed, other, old, arrived, waiting]) await store.webhooks.addDelivery(each);
      const ended = (status: "failed" | "delivered") => (each: OutboxRow) => ({
        attempt: attemptRow(each.id),
        change: { status },
      });
      await store.webhooks.recordAttempts([...failed, other, old].map(ended("failed")));
      await store.webhooks.recordAttempts([arrived].map(ended("delivered")));
      const page = (before?: Pick<OutboxRow, "id" | "createdMs">) =>
        store.webhooks.failedOf({ registrationId, sinceMs: 200, before, limit: 3 });
      const expected = failed
        .map(({ id, event, createdMs }) => ({ id, event, createdMs }))
        .sort((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1));
      const first = await page();
      assert.deepEqual([...first, ...(await page(first.at(-1)))], expected);
      const told: string[] = [];
      const stop = store.webhooks.onOutbox((ids) => told.push(...ids));
      const [one, two] = failed as [OutboxRow, OutboxRow];
      await store.webhooks.requeueFailed(registrationId, [one.id, two.id, arrived.id, other.id, "msg_none"], 900);
      stop();
      assert.deepEqual(told, [registrationId]);
      const states = [one, two, failed[2], arrived, other].map(async (each) => {
        const found = await store.webhooks.delivery(each?.id ?? "");
        return [found?.status, found?.dueMs === 900];
      });
      const [again, left] = [
        ["pending", true],
        ["failed", false],
      ];
      assert.deepEqual(await Promise.all(states), [again, again, left, ["delivered", false], left]);
    });

    it("gives a delivery up that is pending; an attempt that was under way counts if it arrived, and is not made again", async () => {
      const registrationId = `wh_${nextId()}`;
      const rows = Array.from({ length: 3 }, () => outboxRow(nextId(), { registrationId, dueMs: 5 }));
      const [taken, refused, last] = rows as [OutboxRow, OutboxRow, OutboxRow];
      for (const row of rows) await store.webhooks.addDelivery(row);
      const tries = await Promise.all(Array.from({ length: 9 }, () => store.webhooks.giveUp(taken.id)));
      assert.equal(tries.filter(Boolean).length, 1, "of many at once one has given it up");
      assert.equal(await store.webhooks.giveUp("msg_none"), false);
      assert.equal(await store.webhooks.giveUp(refused.id), true);
      const due = await store.webhooks.due({ registrationId, isRetry: false }, 9, 9);
      assert.deepEqual(
        due.map(({ id }) => id),
        [last.id],
      );
      await store.webhooks.recordAttempts([
        { attempt: attemptRow(taken.id), change: { status: "delivered", deliveredMs: 7 } },
        { attempt: attemptRow(refused.id, { statusCode: 500 }), change: { status: "pending", dueMs: 8 } },
        { attempt: attemptRow(last.id, { statusCode: 500 }), change: { status: "pending", dueMs: 8 } },
      ]);
      const stateOf = async ({ id }: OutboxRow): Promise<unknown[]> => {
        const row = await store.webhooks.delivery(id);
        return [row?.status, row?.attempts];
      };
      assert.deepEqual(await Promise.all(rows.map(stateOf)), [
        ["delivered", 1],
        ["failed", 1],
        ["pending", 1],
      ]);
      assert.equal(await store.webhooks.giveUp(taken.id), false);
      assert.equal(await store.webhooks.requeue(refused.id, 9), true);
      assert.deepEqual(await stateOf(refused), ["pending", 1]);
    });

    it("forgets pings that are old and no longer to be sent, with their attempts", async () => {
      const registrationId = `wh_${nextId()}`;
      const ping = (createdMs: number, event: OutboxRow["event"] = "ping") =>
        outboxRow(nextId(), { registrationId, event, createdMs });
      const [old, waiting, fresh, other] = [ping(100), ping(100), ping(300), ping(100, "graph.done")];
      for (const row of [old, waiting, fresh, other]) await store.webhooks.addDelivery(row);
      await store.webhooks.recordAttempts(
        [old, fresh, other].map(({ id: deliveryId }) => ({
          attempt: attemptRow(deliveryId),
          change: { status: "delivered", deliveredMs: 3 },
        })),
      );
      await store.webhooks.forgetPings(200);
      const left = (await store.webhooks.listDeliveries({ registrationId })).items.map(({ id }) => id);
      assert.deepEqual(left.sort(), [waiting.id, fresh.id, other.id].sort());
      assert.deepEqual(await store.webhooks.attempts(old.id), []);
      assert.equal((await store.webhooks.attempts(fresh.id)).length, 1);
    });

    it("keeps sessions by id, the last write of each, until they are removed or purged", async () => {
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
  });
}
