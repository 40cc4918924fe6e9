/** The origin and the summary of a graph: over HTTP, from the command line, from actions, forms and routes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, createApp, route, type App } from "svckit";
import { createFullStackApp, submit } from "svckit/fullstack";
import { worker, type Snapshot } from "svckit/graph";
import { createTestClient } from "svckit/testing";
import * as v from "valibot";
import { API_KEY, OPERATOR, withFixture } from "./app.ts";

const env = { SVC_DATABASE_URL: "memory:", SVC_EXEC_API_KEY: API_KEY, SVC_SECRET: "s".repeat(32) };
const quick = worker("quick", () => 1);

interface Listed {
  graphs: Snapshot[];
  total: number;
}

const newest = async (app: App): Promise<Snapshot | undefined> => (await app.engine.list({ limit: 1 })).items[0];

describe("the origin of a graph", () => {
  it("is the endpoint, command line, action or route that started it, otherwise code; lists filter by it", async () => {
    const app = createApp({
      env,
      workers: [quick],
      actions: { buy: action(async () => void (await app.engine.start("quick", null))) },
      routes: [
        route("POST", "/shops/:shop/order", async () => {
          await app.engine.start("quick", null);
          return new Response("ordered");
        }),
      ],
    });
    const client = createTestClient(app);
    const begun = async (step: () => Promise<unknown>): Promise<Snapshot["origin"] | undefined> => {
      await step();
      return (await newest(app))?.origin;
    };
    await app.boot();
    const body = { worker: "quick" };
    assert.deepEqual(await begun(() => client.post("/_svc/graphs", body, OPERATOR)), { kind: "api", name: null });
    const byCli = { ...OPERATOR, "x-svc-client": "cli" };
    assert.deepEqual(await begun(() => client.post("/_svc/graphs", body, byCli)), { kind: "cli", name: null });
    assert.deepEqual(await begun(() => client.action("buy")), { kind: "action", name: "buy" });
    const byRoute = await begun(() => client.submit("/shops/17/order", {}));
    assert.deepEqual(byRoute, { kind: "route", name: "/shops/:shop/order" });
    assert.deepEqual(await begun(() => app.engine.start("quick", null)), { kind: "code", name: null });
    const answer = await client.get("/_svc/graphs?origin=action", OPERATOR);
    const { total, graphs } = (await answer.json()) as Listed;
    assert.deepEqual([total, graphs[0]?.origin?.name], [1, "buy"]);
    const refused = await client.get("/_svc/graphs?origin=nobody", OPERATOR);
    assert.equal(refused.status, 422);
    assert.match(
      ((await refused.json()) as { detail: string }).detail,
      /"origin" is "nobody"; allowed are action, form/,
    );
    await app.close();
  });

  it("is the form with its name", async () => {
    const send = submit("order", { schema: v.object({}) }, async () => void (await app.engine.start("quick", null)));
    const app = createFullStackApp({ env, workers: [quick], submits: [send] }, {});
    await app.boot();
    const answer = await createTestClient(app).submit("/_svc/submit/order", {});
    assert.ok(answer.status < 400, String(answer.status));
    assert.deepEqual((await newest(app))?.origin, { kind: "form", name: "order" });
    await app.close();
  });
});

describe("the summary of a graph over HTTP", () => {
  it("is set at the start, appears in snapshots and lists, and is searchable in lists and bulk commands", async () => {
    await withFixture(async ({ client, app }) => {
      const start = async (summary: string): Promise<Response> =>
        client.post("/_svc/graphs", { worker: "double", input: { value: 1 }, summary }, OPERATOR);
      const { graph_id: id } = (await (await start("Invoice 17\nfor ACME")).json()) as { graph_id: string };
      await start("Invoice 18");
      await app.engine.idle();
      const snapshot = (await (await client.get(`/_svc/graphs/${id}`, OPERATOR)).json()) as Snapshot;
      assert.equal(snapshot.summary, "Invoice 17 for ACME");
      const list = (await (await client.get("/_svc/graphs?summary=acme", OPERATOR)).json()) as Listed;
      assert.deepEqual(
        list.graphs.map(({ graph_id }) => graph_id),
        [id],
      );
      const bulk = { action: "cancel", filter: { summary: "invoice" }, dry_run: true };
      const counted = await client.post("/_svc/graphs/bulk", bulk, OPERATOR);
      assert.equal(((await counted.json()) as { matched: number }).matched, 2);
      assert.equal((await start("")).status, 422);
    });
  });
});
