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
      const inbox = (await (await own.client.get("/_svc/demo/webhook-inbox")).json()) as {
        received: { signature: string }[];
      };
      assert.equal(inbox.received[0]?.signature, "verified");
      const shown = await own.client.get("/_svc/demo/webhook-inbox", { accept: "text/html" });
      assert.equal(shown.headers.get("content-type"), "text/html; charset=utf-8");
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

  it("POST /_svc/demo/webhook-inbox receives (64 KiB, last 50 kept, 204); GET shows what came, as HTML or JSON by Accept; another site's button is refused", () =>
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
        204,
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

  it("keeps the last 50 and shows them as HTML or JSON", () =>
    withFixture(async ({ client }) => {
      const headers = { "content-type": "application/json" };
      for (let sent = 0; sent < 55; sent++)
        await client.request("/_svc/demo/webhook-inbox", { method: "POST", headers, body: `{"n":${sent}}` });
      const json = (await (await client.get("/_svc/demo/webhook-inbox")).json()) as { received: { body: string }[] };
      assert.deepEqual([json.received.length, json.received[0]?.body], [50, '{"n":54}']);
      const page = await client.get("/_svc/demo/webhook-inbox", { accept: "text/html" });
      assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    }));
});
