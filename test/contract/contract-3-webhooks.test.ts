/** Contract section 3 and the demo of section 6, over `app.fetch` and real deliveries on loopback. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createReceiver } from "svc/testing";
import { verifyWebhook } from "svc/webhooks";
import { createFixture, OPERATOR, withFixture } from "./app.ts";

const SECRET = "s3cret-for-tests";
const fixture = createFixture({ SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", SVC_WEBHOOK_SECRET: SECRET });
const { client, app } = fixture;
after(() => fixture.close());

async function call(method: string, path: string, body?: unknown) {
  const response = await client.request(path, {
    method,
    headers: { ...OPERATOR, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, reply: (text === "" ? {} : JSON.parse(text)) as Record<string, never>, response };
}

/** The receiver has it before its answer is on record. */
async function untilDelivered(id: string): Promise<void> {
  while ((await call("GET", `/_svc/deliveries/${id}`)).reply["status"] !== "delivered") {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("webhook endpoints", () => {
  it("are closed without the right key, 401 with WWW-Authenticate", async () => {
    for (const authorization of ["", "Bearer wrong", "Basic b3A6", "Bearer"]) {
      const response = await client.get("/_svc/webhooks", authorization === "" ? {} : { authorization });
      assert.equal(response.status, 401, authorization);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
    }
    await withFixture(
      async ({ client: visitor }) => {
        assert.equal((await visitor.get("/_svc/webhooks", OPERATOR)).status, 401);
      },
      { SVC_EXEC_API_KEY: "" },
    );
  });

  it("register, list, show, change, delete", async () => {
    const body = { url: "http://127.0.0.1:8099/hook", events: ["graph.done"] };
    const created = await call("POST", "/_svc/webhooks", body);
    assert.equal(created.status, 201);
    const id: string = created.reply["id"] as unknown as string;
    assert.match(id, /^wh_/);
    assert.deepEqual(Object.keys(created.reply).sort(), [
      "created_ms",
      "description",
      "enabled",
      "events",
      "id",
      "secret_set",
      "state",
      "updated_ms",
      "url",
    ]);
    assert.equal((await call("POST", "/_svc/webhooks", body)).status, 200);
    assert.equal((await call("GET", "/_svc/webhooks")).reply["total"], 1);
    assert.equal((await call("GET", `/_svc/webhooks/${id}`)).reply["url"], body.url);
    assert.deepEqual((await call("PATCH", `/_svc/webhooks/${id}`, { events: ["graph.failed"] })).reply["events"], [
      "graph.failed",
    ]);
    const rotated = await call("POST", `/_svc/webhooks/${id}/rotate-secret`);
    assert.equal(rotated.status, 200);
    assert.ok(String(rotated.reply["secret"]).length > 20);
    assert.equal((await call("DELETE", `/_svc/webhooks/${id}`)).status, 204);
    assert.equal((await call("GET", `/_svc/webhooks/${id}`)).status, 404);
  });

  it("refuse what can't be used: 422 with a code, 413 above 64 KiB, 415 for no JSON", async () => {
    for (const [body, code] of [
      [{ url: "/relative" }, "SVC_WEBHOOK_URL"],
      [{ url: "ftp://example.com/" }, "SVC_WEBHOOK_URL"],
      [{ url: "http://user:pw@example.com/" }, "SVC_WEBHOOK_URL"],
      [{ url: "http://169.254.169.254/" }, "SVC_SSRF"],
      [{ url: "http://127.0.0.1/", events: ["graph.odd"] }, "SVC_WEBHOOK_EVENT"],
      [[], "SVC_INVALID"],
    ] as const) {
      const { status, reply } = await call("POST", "/_svc/webhooks", body);
      assert.deepEqual({ status, code: reply["code"] as unknown }, { status: 422, code }, JSON.stringify(body));
    }
    const large = { url: "http://127.0.0.1/", description: "x".repeat(65_536) };
    assert.equal((await call("POST", "/_svc/webhooks", large)).status, 413);
    const form = await client.request("/_svc/webhooks", {
      method: "POST",
      headers: OPERATOR,
      body: new URLSearchParams(),
    });
    assert.equal(form.status, 415);
  });

  it("send graph.done signed to whoever registered, and show the delivery", async () => {
    const receiver = await createReceiver();
    try {
      const { reply } = await call("POST", "/_svc/webhooks", { url: receiver.url, events: ["graph.done"] });
      await app.engine.start("double", { value: 21 });
      const [delivery] = await receiver.received(1);
      assert.ok(delivery);
      const payload = verifyWebhook({ ...delivery, secret: SECRET });
      assert.deepEqual(Object.keys(payload), [
        "event",
        "graph_id",
        "worker",
        "status",
        "timestamp_ms",
        "duration_ms",
        "result",
      ]);
      assert.equal(payload.event, "graph.done");
      assert.deepEqual(payload.result, { value: 42 });
      const id = delivery.headers["x-svc-delivery"] as string;
      const path = `/_svc/webhooks/${reply["id"] as unknown as string}`;
      assert.equal((await call("GET", `${path}/deliveries`)).reply["total"], 1);
      assert.equal((await call("GET", `/_svc/deliveries/${id}`)).reply["id"], id);
      await untilDelivered(id);
      assert.equal((await call("POST", `/_svc/deliveries/${id}/replay`)).status, 202);
      const again = await receiver.received(2);
      assert.equal(again[1]?.headers["x-svc-delivery"], id);
      assert.equal((await call("POST", `${path}/ping`)).status, 202);
      assert.equal((await receiver.received(3))[2]?.headers["x-svc-event"], "ping");
      assert.deepEqual((await call("POST", `${path}/recover`, { since_ms: 0 })).reply, { count: 0 });
    } finally {
      await receiver.close();
    }
  });

  it("registered at boot are there; a bad one stops the boot and is named", async () => {
    await withFixture(
      async ({ client: visitor }) => {
        const list = (await (await visitor.get("/_svc/webhooks", OPERATOR)).json()) as { webhooks: { url: string }[] };
        assert.deepEqual(list.webhooks.map(({ url }) => url).sort(), [
          "http://127.0.0.1:8099/a",
          "http://127.0.0.1:8099/b",
        ]);
      },
      { SVC_WEBHOOK_URLS: "http://127.0.0.1:8099/a, http://127.0.0.1:8099/b", SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
    );
    await withFixture(async ({ app: bad }) => assert.rejects(bad.boot(), /10\.0\.0\.1/), {
      SVC_WEBHOOK_URLS: "http://10.0.0.1/hook",
    });
  });
});

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

  it("refuses another site's button and a large delivery", async () => {
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
  });

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
