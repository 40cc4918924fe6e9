/** What a running app tells those who run it: its log. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, createApp, route } from "svc";
import { createTestClient, recordLog } from "svc/testing";
import { withFixture } from "./app.ts";

async function* pieces(): AsyncGenerator<string> {
  yield "häh";
  yield "later";
}

describe("the log", () => {
  it("holds no secret, token, cookie or payload, whatever is asked and however it fails", async () => {
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
        const told = log.texts.join("\n");
        assert.match(told, /The route failed/);
        assert.match(told, /The action failed/);
        assert.ok(!told.includes("planted"), told);
        assert.ok(!told.includes(csrfToken));
        for (const value of client.cookies.values()) assert.ok(!told.includes(value));
      },
      planted,
      options,
    );
  });

  it("has a line per request where it is asked for, with the pattern of the route and the bytes of the body", async () => {
    const log = recordLog();
    const routes = [
      route("GET", "/items/:id", () => new Response("four")),
      route("GET", "/streamed", () => ({ status: 200, headers: [], body: pieces() })),
    ];
    await withFixture(
      async ({ app }) => {
        const { url, close } = await app.start({ port: 0 });
        await (await fetch(`${url}/items/7?token=secret`, { headers: { "x-request-id": "r-1" } })).text();
        await (await fetch(`${url}/streamed`)).text();
        await close();
        const [first, second] = log.entries.filter(({ message }) => message === "request").map(({ fields }) => fields);
        const { durationMs, ...rest } = first ?? {};
        assert.ok(typeof durationMs === "number" && durationMs >= 0);
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

  it("takes anything that logs like pino, `console` too", async () => {
    const app = createApp({ log: console, env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "x".repeat(32) } });
    assert.equal((await createTestClient(app).get("/health")).status, 200);
    await app.close();
  });
});
