/** Tests the built app. `npm test` builds it first. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestClient } from "svckit/testing";

// Keep the database in memory.
process.env.SVC_DATABASE_URL = "memory:";
const built = new URL("./dist/", import.meta.url);
/** @type {{ default: import("svckit").App }} */
const { default: app } = await import(new URL("server/app.js", built).href);
const started = await app.start({ dist: fileURLToPath(built), host: "127.0.0.1", port: 0 });
const client = createTestClient(app);

after(() => started.close());

test("the first page has the counter", async () => {
  const response = await client.get("/");
  assert.equal(response.status, 200);
  assert.match(await response.text(), /Count: 0/);
});

test("an order for too many cups is rejected with a message", async () => {
  const response = await client.submit("/_svc/submit/order-tea", { tea: "Assam", cups: "13" });
  assert.equal(response.status, 422);
  assert.match(await response.text(), /The pot holds 12 cups/);
});

test("an order starts the graph, and its result lists the cups", async () => {
  const { snapshot } = await app.engine.start("tea", { tea: "Sencha", cups: 2 });
  assert.equal((await client.get(`/orders/${snapshot.graph_id}`)).status, 200);
  assert.equal(await app.engine.result(snapshot.graph_id), "Here you are: a cup of Sencha, a cup of Sencha");
});
