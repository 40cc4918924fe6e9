/** Contract section 6: the demo. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "svckit/testing";
import { createFixture, withFixture } from "./app.ts";
import { operate, SECRET, until } from "./calls.ts";

describe("the demo", () => {
  it("Demo: GET /_svc/demo is a page with one button: it registers the inbox, sends the sample graph.done through the real delivery path and shows the JSON received, its headers and whether the signature verifies", async () => {
    // The clock stands still, so the delivery arrives however slow the machine is.
    const own = createFixture({ SVC_WEBHOOK_SECRET: SECRET }, { clock: new SimulatedClock() });
    const started = await own.app.start({ port: 0 });
    try {
      const sent = await own.client.submit("/_svc/demo", {});
      assert.equal(sent.status, 303);
      const page = await (await own.client.get(sent.headers.get("location") ?? "")).text();
      assert.match(page, /Signature verified/);
      assert.match(page, /Status: delivered/);
      assert.match(page, /<td class="number">204<\/td>/, "the attempt that brought it");
      assert.match(page, /graph\.done/);
      assert.match(page, /x-svc-signature/);
    } finally {
      await started.close();
      await own.close();
    }
  });

  it("has receivers that fail once, redirect once or time out once, and shows each attempt; without JavaScript", async () => {
    const clock = new SimulatedClock();
    const own = createFixture({}, { clock });
    const started = await own.app.start({ port: 0 });
    try {
      for (const [receiver, error] of [
        ["failing", "answered 500"],
        ["redirecting", "answered 302; redirects are not followed"],
        ["slow", "no answer within 15 s"],
      ] as const) {
        const sent = await own.client.submit("/_svc/demo", { receiver });
        const path = sent.headers.get("location") ?? "";
        const shows = async (text: string): Promise<boolean> =>
          (await (await own.client.get(path)).text()).includes(text);
        if (receiver === "slow") {
          await until(() => own.app.webhooks.activeCount() === 1, "the slow delivery is running");
          await clock.advance(15_000);
        }
        await until(() => shows(`<td>${error}</td>`), `${receiver}: the first attempt`);
        assert.ok(await shows("Status: pending, next attempt"));
        await clock.advance(6000);
        await until(() => shows("Status: delivered"), `${receiver}: the second`);
        assert.ok(await shows("<h2>Received</h2>"));
      }
    } finally {
      await started.close();
      await own.close();
    }
  });

  it("refuses bodies over 64 KiB, unsigned requests, and another site's button", () =>
    withFixture(async ({ client }) => {
      assert.equal((await client.request("/_svc/demo", { method: "POST", body: new URLSearchParams() })).status, 403);
      const headers = { "content-type": "application/json" };
      const large = await client.request("/_svc/demo/webhook-inbox", {
        method: "POST",
        headers,
        body: "x".repeat(65_537),
      });
      assert.equal(large.status, 413);
      assert.equal(
        (await client.request("/_svc/demo/webhook-inbox", { method: "POST", headers, body: "{}" })).status,
        401,
      );
    }));

  it("Off in production unless asked for", async () => {
    await withFixture(
      async ({ client: visitor }) => {
        assert.equal((await visitor.get("/_svc/demo")).status, 404);
        assert.equal((await visitor.get("/_svc/demo/webhook-inbox")).status, 404);
      },
      { NODE_ENV: "production" },
    );
    await withFixture(
      async ({ client: visitor }) => {
        assert.equal((await visitor.get("/_svc/demo")).status, 200);
      },
      { NODE_ENV: "production" },
      { demo: true },
    );
  });

  it("The inbox is reachable although it is on loopback: that one URL on our own origin is exempt from SSRF rules, nothing else", async () => {
    const own = createFixture();
    const started = await own.app.start({ port: 0, host: "127.0.0.1" });
    try {
      for (const [path, status] of [
        ["/_svc/demo/webhook-inbox", 201],
        ["/_svc/demo/webhook-inbox?x=1", 422],
        ["/_svc/demo", 422],
        ["/", 422],
      ] as const) {
        const { status: reported } = await operate(own, "POST", "/_svc/webhooks", { url: started.url + path });
        assert.equal(reported, status, path);
      }
    } finally {
      await started.close();
      await own.close();
    }
  });

  it("POST /_svc/demo/webhook-inbox receives (64 KiB, last 50 kept, 204); GET shows what came, as HTML or JSON by Accept, to those who know the delivery", async () => {
    const own = createFixture({}, { clock: new SimulatedClock() });
    const started = await own.app.start({ port: 0 });
    try {
      const sent = await own.client.submit("/_svc/demo", {});
      const id = new URL(sent.headers.get("location") ?? "", "http://localhost").searchParams.get("delivery");
      const inbox = `/_svc/demo/webhook-inbox`;
      const listed = async (query: string): Promise<unknown[]> =>
        ((await (await own.client.get(inbox + query)).json()) as { received: unknown[] }).received;
      assert.deepEqual([(await listed(`?delivery=${id}`)).length, (await listed("")).length], [1, 0]);
      const shown = await own.client.get(`${inbox}?delivery=${id}`, { accept: "text/html" });
      assert.equal(shown.headers.get("content-type"), "text/html; charset=utf-8");
      assert.match(await shown.text(), /Signature verified/);
      const other = await own.app.webhooks.create({ url: started.url + inbox, events: ["graph.done"] });
      const ping = await own.app.webhooks.ping(other.registration.id);
      const page = await (await own.client.get(`/_svc/demo?delivery=${ping.delivery_id}`)).text();
      assert.doesNotMatch(page, /Attempts/, "a delivery that the demo has not sent");
    } finally {
      await started.close();
      await own.close();
    }
  });

  it("receives no event of a graph, and its registration is removed after ten minutes and at the end of the process", async () => {
    const clock = new SimulatedClock();
    const own = createFixture({}, { clock });
    const started = await own.app.start({ port: 0 });
    const hooks = async () => (await own.app.webhooks.list(new URLSearchParams())).webhooks;
    try {
      await own.client.submit("/_svc/demo", {});
      const [hook] = await hooks();
      assert.deepEqual([hook?.events, hook?.workers], [["graph.done"], ["(webhook demo)"]]);
      const { snapshot } = await own.app.engine.start("double", { value: 1 });
      await until(async () => (await own.app.engine.snapshot(snapshot.graph_id))?.phase === "done", "the run is done");
      const { total } = await own.app.webhooks.deliveries(new URLSearchParams());
      assert.equal(total, 1, "the sample alone");
      await clock.advance(10 * 60_000);
      await until(async () => (await hooks()).length === 0, "the registration is removed");
    } finally {
      await started.close();
      await own.close();
    }
  });

  it("sends ten samples a minute for a client", async () => {
    const own = createFixture({}, { clock: new SimulatedClock() });
    const started = await own.app.start({ port: 0 });
    try {
      const statuses: number[] = [];
      for (let sent = 0; sent < 11; sent++) statuses.push((await own.client.submit("/_svc/demo", {})).status);
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 303), 429]);
    } finally {
      await started.close();
      await own.close();
    }
  });
});
