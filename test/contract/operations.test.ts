/** The operational outputs of a running app: its log and its readiness. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, createApp, eventStream, route } from "svckit";
import { systemClock } from "svckit/graph";
import { createTestClient, recordLog, SimulatedClock } from "svckit/testing";
import { withFixture } from "./app.ts";

async function* pieces(): AsyncGenerator<string> {
  yield "häh";
  yield "later";
}

describe("the log", () => {
  it("contains no secret, token, cookie or payload, whatever the request and its failure", async () => {
    const planted = {
      SVC_SECRET: "planted-signing-secret",
      SVC_WEBHOOK_SECRET: "planted-webhook-secret",
      SVC_EXEC_API_KEY: "planted-operator-key",
    };
    const log = recordLog();
    const options = {
      log,
      accessLog: true,
      actions: {
        fails: action((_payload: string) => {
          throw new Error("The action failed");
        }),
      },
      routes: [
        route("GET", "/reset/:token", () => {
          throw new Error("The route failed");
        }),
      ],
    };
    await withFixture(
      async ({ client, app }) => {
        const csrfToken = await client.csrfToken();
        const headers = { authorization: "Bearer planted-operator-key", cookie: "planted=planted-cookie" };
        await client.get("/reset/planted-path?token=planted-query", headers);
        await client.get("/nowhere/planted-path?token=planted-query", headers);
        await client.action("fails", "planted-payload");
        await client.post("/_svc/graphs", { worker: "double", input: "planted-payload" }, headers);
        await app.engine.idle();
        const reported = log.texts.join("\n");
        assert.match(reported, /The route failed/);
        assert.match(reported, /The action failed/);
        assert.ok(!reported.includes("planted"), reported);
        assert.ok(!reported.includes(csrfToken));
        for (const value of client.cookies.values()) assert.ok(!reported.includes(value));
      },
      planted,
      options,
    );
  });

  it("has a line per request if enabled, with the pattern of the route and the bytes of the body", async () => {
    const log = recordLog();
    const routes = [
      route("GET", "/items/:id", () => new Response("four")),
      route("GET", "/streamed", () => ({ status: 200, headers: [], body: pieces() })),
    ];
    await withFixture(
      async ({ app }) => {
        const { url, close } = await app.start({ port: 0 });
        await (
          await fetch(`${url}/items/7?token=secret`, {
            headers: { "x-request-id": "r-1", "accept-encoding": "identity" },
          })
        ).text();
        await (await fetch(`${url}/streamed`, { headers: { "accept-encoding": "identity" } })).text();
        await close();
        const [first, second] = log.entries.filter(({ message }) => message === "request").map(({ fields }) => fields);
        const { durationMs, traceId, ...rest } = first ?? {};
        assert.ok(typeof durationMs === "number" && durationMs >= 0);
        assert.match(String(traceId), /^[0-9a-f]{32}$/);
        assert.deepEqual(rest, {
          reqId: "r-1",
          method: "GET",
          route: "/items/:id",
          status: 200,
          bytes: 4,
          clientIp: "127.0.0.1",
        });
        assert.equal(second?.["bytes"], 9);
      },
      {},
      { log, accessLog: true, routes },
    );
  });

  it("can be any logger with pino's interface, including `console`", async () => {
    const app = createApp({ log: console, env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "x".repeat(32) } });
    assert.equal((await createTestClient(app).get("/health")).status, 200);
    await app.close();
  });
});

describe("GET /ready", () => {
  it("is 200 when every check of the app passes, and 503 with the names of failed checks; only the log has the reasons", async () => {
    let isDown = false;
    const clock = new SimulatedClock();
    const ready = {
      database: () => assert.ok(!isDown, "connect ECONNREFUSED 10.0.0.7"),
      cache: async () => assert.ok(!isDown, "no cache"),
      disk: () => undefined,
    };
    await withFixture(
      async ({ app, client, logged }) => {
        await app.boot();
        assert.equal(await (await client.get("/ready")).text(), "ready");
        isDown = true;
        await clock.advance(1000);
        const response = await client.get("/ready");
        assert.equal(response.status, 503);
        assert.equal(await response.text(), "not ready: database, cache");
        assert.match(logged.join("\n"), /"check":"database"[^]*ECONNREFUSED/);
        assert.equal((await client.get("/health")).status, 200);
      },
      {},
      { clock, ready },
    );
  });

  it("is 503 before the app has booted", async () => {
    await withFixture(async ({ client }) => {
      const response = await client.get("/ready?probe=1");
      assert.equal(response.status, 503);
      assert.equal(await response.text(), "not ready: booting");
    });
  });

  it("is 503 as soon as the app drains, while the app still accepts requests for the configured delay", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async ({ app }) => {
        const { url, close } = await app.start({ port: 0 });
        const closed = close();
        const response = await fetch(`${url}/ready`);
        assert.equal(response.status, 503);
        assert.equal(await response.text(), "not ready: draining");
        assert.equal((await fetch(`${url}/plain`)).status, 200);
        await clock.advance(5000);
        assert.deepEqual(await closed, { cutRequests: 0 });
        await assert.rejects(fetch(`${url}/plain`));
      },
      {},
      { clock, drain: { delay: "5s" } },
    );
  });
});

describe("closing an app that another server serves", () => {
  it("ends its event streams, then waits for running requests before the store closes", async () => {
    let finish!: () => void;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    let start!: () => void;
    const hasStarted = new Promise<void>((resolve) => (start = resolve));
    await withFixture(
      async ({ app, client }) => {
        const slow = client.get("/slow");
        await hasStarted;
        const stream = await client.get("/endless");
        const text = stream.text();
        let isClosed = false;
        const closed = app.close().then(() => (isClosed = true));
        assert.match(await text, /event: closing\n/);
        // Enough time for a store in memory to close.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(isClosed, false);
        finish();
        assert.equal(await (await slow).text(), "pending");
        await closed;
      },
      {},
      {
        routes: [
          route("GET", "/slow", async () => {
            start();
            await mayFinish;
            return new Response("pending");
          }),
          route("GET", "/endless", (ctx) =>
            eventStream(endless(ctx.signal), { clock: systemClock, signal: ctx.signal }),
          ),
        ],
      },
    );
  });
});

async function* endless(signal: AbortSignal): AsyncGenerator<{ data: number }> {
  yield { data: 1 };
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
