/** The contract of every store for registrations and deliveries (src/storage/contract/webhook-rows.ts), tested on each. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Store } from "./contract.ts";
import type { OutboxRow } from "./webhook-rows.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { attemptRow, nextId, outboxRow, registrationRow } from "./sample-rows.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-webhooks-"));
after(() => rmSync(folder, { recursive: true }));

for (const kind of [
  `sqlite:${join(folder, "webhooks.db")}`,
  "postgres:",
  `encrypted sqlite:${join(folder, "encrypted.db")}`,
  "encrypted postgres:",
]) {
  describe(
    `webhooks in the store ${kind.split(":")[0]}`,
    { skip: kind.endsWith("postgres:") && (await withoutPostgres()) },
    () => {
      const opened = openedStore(kind);
      let store: Store;
      before(async () => void (store = await opened.open()));
      after(() => opened.close());

      it("keep one registration per URL", async () => {
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

      it("apply concurrent changes of a registration one after another", async () => {
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

      it("return the due deliveries of a queue, record attempts, and requeue", async () => {
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
        const own = { registrationId };
        assert.deepEqual(await store.webhooks.latestOutcomes([registrationId], 1), [{ ...own, ...taken }]);
        assert.deepEqual(await store.webhooks.latestOutcomes([registrationId], 9), [
          { ...own, ...taken },
          { ...own, ...refused },
        ]);
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

      it("return the responses of the newest deliveries of several registrations, equally many of each", async () => {
        const [one, two, none] = [`wh_${nextId()}`, `wh_${nextId()}`, `wh_${nextId()}`];
        const answered = async (registrationId: string, createdMs: number, statusCode: number): Promise<void> => {
          const row = outboxRow(nextId(), { registrationId, createdMs });
          await store.webhooks.addDelivery(row);
          const attempt = attemptRow(row.id, { startedMs: createdMs, statusCode });
          await store.webhooks.recordAttempts([{ attempt, change: { status: "delivered", deliveredMs: createdMs } }]);
        };
        for (const [at, id] of [one, two, one, one, two].entries()) await answered(id, 10 + at, 200 + at);
        const reported = await store.webhooks.latestOutcomes([two, none, one], 2);
        assert.deepEqual(
          reported.map(({ registrationId, startedMs, statusCode }) => [registrationId, startedMs, statusCode]),
          [
            [two, 14, 204],
            [one, 13, 203],
            [one, 12, 202],
            [two, 11, 201],
          ],
        );
        assert.deepEqual(await store.webhooks.latestOutcomes([], 2), []);
      });

      it("return the due time of earlier deliveries of a run, and release the ones that wait for them", async () => {
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

      it("report the registrations with pending deliveries", async () => {
        const reported: string[] = [];
        const stop = store.webhooks.onOutbox((ids) => reported.push(...ids));
        const id = nextId();
        const row = outboxRow(id, { registrationId: `wh_${id}` });
        await store.webhooks.addDelivery(row);
        await store.webhooks.requeue(row.id, 9);
        stop();
        await store.webhooks.requeue(row.id, 10);
        assert.deepEqual(reported, [`wh_${id}`, `wh_${id}`]);
      });

      it("list deliveries newest first, with filters and pages", async () => {
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

      it("count delivered and failed deliveries per registration since a time, and all pending ones", async () => {
        const [one, two, none] = ["one", "two", "none"].map((name) => `wh_${name}${nextId()}`) as [
          string,
          string,
          string,
        ];
        const add = async (registrationId: string, createdMs: number, status: "delivered" | "failed" | "pending") => {
          const row = outboxRow(nextId(), { registrationId, createdMs });
          await store.webhooks.addDelivery(row);
          await store.webhooks.recordAttempts([{ attempt: attemptRow(row.id), change: { status } }]);
        };
        for (const createdMs of [100, 200, 300]) {
          await add(one, createdMs, "delivered");
          await add(one, createdMs, "pending");
          await add(two, createdMs, "failed");
        }
        await add(two, 100, "pending");
        await add(two, 300, "delivered");
        assert.deepEqual(await store.webhooks.tallies([two, none, one], 200), [
          { registrationId: two, delivered: 1, failed: 2, pending: 1 },
          { registrationId: none, delivered: 0, failed: 0, pending: 0 },
          { registrationId: one, delivered: 2, failed: 0, pending: 3 },
        ]);
        assert.deepEqual(await store.webhooks.tallies([], 0), []);
      });

      it("list failed deliveries of a registration, newest first and in pages, and make them pending again", async () => {
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
        const reported: string[] = [];
        const stop = store.webhooks.onOutbox((ids) => reported.push(...ids));
        const [one, two] = failed as [OutboxRow, OutboxRow];
        await store.webhooks.requeueFailed(registrationId, [one.id, two.id, arrived.id, other.id, "msg_none"], 900);
        stop();
        assert.deepEqual(reported, [registrationId]);
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

      it("give up a pending delivery; an attempt in flight counts if it succeeds, and is not repeated", async () => {
        const registrationId = `wh_${nextId()}`;
        const rows = Array.from({ length: 3 }, () => outboxRow(nextId(), { registrationId, dueMs: 5 }));
        const [taken, refused, last] = rows as [OutboxRow, OutboxRow, OutboxRow];
        for (const row of rows) await store.webhooks.addDelivery(row);
        const tries = await Promise.all(Array.from({ length: 9 }, () => store.webhooks.giveUp(taken.id)));
        assert.equal(tries.filter(Boolean).length, 1, "only one of several concurrent calls gives it up");
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

      it("delete old pings that are no longer pending, with their attempts", async () => {
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
    },
  );
}
