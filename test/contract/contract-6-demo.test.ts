/** Contract section 6: the demo. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFixture, withFixture } from "./app.ts";
import { SECRET } from "./calls.ts";

describe("the demo", () => {
  it("sends the sample to its own inbox by a form alone, and shows JSON and verdict", async () => {
    const own = createFixture({ SVC_WEBHOOK_SECRET: SECRET });
    const started = await own.app.start({ port: 0 });
    try {
      const sent = await own.client.submit("/_svc/demo", {});
      assert.equal(sent.status, 303);
      const page = await (await own.client.get(sent.headers.get("location") ?? "")).text();
      assert.match(page, /Signature verified/);
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

  it("refuses another site's button and a large delivery", () =>
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

  it("is off in production unless asked for", async () => {
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
});
