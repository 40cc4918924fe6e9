/** Updates, terminate and backfill over HTTP (docs/reference/http.md section 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "svckit";
import { defineUpdate, FinalError, worker } from "svckit/graph";
import { OPERATOR, withFixture, type Fixture } from "./app.ts";

const add = defineUpdate<{ sku: string }, { items: number }>("add");
const cart = worker("cart", async (_input: unknown, ctx) => {
  for (let items = 1; items < 3; items++)
    await ctx.handleUpdate(add, ({ sku }) => {
      if (sku === "gone") throw new FinalError("sold out");
      return { items };
    });
  return ctx.sleep("1d");
});
const echo = worker("echo", (input: Json) => input);

const withCart = (run: (fixture: Fixture) => Promise<void>): Promise<void> =>
  withFixture(run, {}, { workers: [cart, echo], schedules: [{ name: "hourly", cron: "0 * * * *", worker: "echo" }] });

async function post({ app }: Fixture, path: string, body: object, headers: Record<string, string> = OPERATOR) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await app.fetch(new Request(`http://localhost/_svc${path}`, init));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function started({ app }: Fixture): Promise<string> {
  await app.boot();
  return (await app.engine.start(cart, null)).id;
}

describe("POST /_svc/graphs/:id/update", () => {
  it("answers with the worker's answer, the same for the same key", () =>
    withCart(async (fixture) => {
      const id = await started(fixture);
      const update = { name: "add", value: { sku: "tea" }, idempotency_key: "a" };
      for (let count = 0; count < 2; count++)
        assert.deepEqual(await post(fixture, `/graphs/${id}/update`, update), {
          status: 200,
          body: { answer: { items: 1 } },
        });
    }));

  it("answers 409 with the message of a refusal, and 504 without an answer in time", () =>
    withCart(async (fixture) => {
      const id = await started(fixture);
      const refused = await post(fixture, `/graphs/${id}/update`, { name: "add", value: { sku: "gone" } });
      assert.deepEqual([refused.status, JSON.stringify(refused.body).includes("sold out")], [409, true]);
      const late = await post(fixture, `/graphs/${id}/update`, { name: "unknown", timeout_ms: 20 });
      assert.equal(late.status, 504);
      assert.match(JSON.stringify(late.body), /did not answer the update/);
    }));

  it("needs access to the run, a name, and known keys", () =>
    withCart(async (fixture) => {
      const id = await started(fixture);
      const path = `/graphs/${id}/update`;
      assert.equal((await post(fixture, path, { name: "add" }, {})).status, 401);
      assert.equal((await post(fixture, path, {})).status, 422);
      assert.equal((await post(fixture, path, { name: "add", payload: 1 })).status, 422);
      assert.equal((await post(fixture, "/graphs/g_missing/update", { name: "add" })).status, 404);
    }));
});

describe("POST /_svc/graphs/:id/terminate", () => {
  it("ends the run with 202, and answers 409 once it has ended", () =>
    withCart(async (fixture) => {
      const id = await started(fixture);
      const { status, body } = await post(fixture, `/graphs/${id}/terminate`, { note: "wrong account" });
      const error = body["error"] as { reason: string };
      assert.deepEqual([status, body["status"], error.reason], [202, "failed", "cancelled"]);
      assert.equal((await post(fixture, `/graphs/${id}/terminate`, {})).status, 409);
    }));
});

describe("POST /_svc/schedules/:name/backfill", () => {
  it("starts the runs of a period once", () =>
    withCart(async (fixture) => {
      await fixture.app.boot();
      const period = { from_ms: 0, until_ms: "1970-01-01T02:00:00Z" };
      const { status, body } = await post(fixture, "/schedules/hourly/backfill", period);
      assert.deepEqual([status, (body["started"] as string[]).length, body["known"]], [202, 3, 0]);
      assert.deepEqual((await post(fixture, "/schedules/hourly/backfill", period)).body, { started: [], known: 3 });
      assert.equal((await post(fixture, "/schedules/hourly/backfill", { from_ms: 1 })).status, 422);
    }));
});
