/** The options of an action: limit, timeout, body size. Also how an action ends when its caller leaves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, ActionError, call, currentContext, fail, redirect, type ActionOptions } from "svckit";
import { SimulatedClock } from "svckit/testing";
import { withFixture } from "./app.ts";

/** An action that reports when it has begun. It ends when its signal aborts, or never. */
function endless(options: ActionOptions) {
  let report: (signal: AbortSignal) => void;
  const begun = new Promise<AbortSignal>((resolve) => (report = resolve));
  const wait = action(() => {
    const { signal } = currentContext();
    report(signal);
    return new Promise<null>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }, options);
  return { wait, begun };
}

describe("the options of an action", () => {
  it("limit: counts its calls separately, instead of under the limit of all actions", async () => {
    const own = action(() => 1, { limit: { perMinute: 3 } });
    const shared = action(() => 2);
    await withFixture(
      async ({ client }) => {
        await client.action("shared");
        assert.equal((await client.action("shared")).status, 429);
        for (let at = 0; at < 3; at++) assert.equal((await client.action("own")).status, 200);
        const response = await client.post("/_svc/action/own", { args: [] });
        assert.equal(response.status, 429);
        assert.equal(response.headers.get("ratelimit-policy"), '"action-own";q=3;w=60');
        assert.ok(Number(response.headers.get("retry-after")) >= 1);
      },
      { SVC_RATE_ACTIONS: "1" },
      { actions: { own, shared } },
    );
  });

  it("maxBytes: rejects a longer body with 413, by its announced length and by the received bytes", async () => {
    const small = action((text: string) => text, { maxBytes: 100 });
    await withFixture(
      async ({ client }) => {
        assert.equal((await client.action("small", "x".repeat(80))).status, 200);
        assert.equal((await client.action("small", "x".repeat(100))).status, 413);
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(`{"args":["${"x".repeat(100)}"]}`));
            controller.close();
          },
        });
        const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken() };
        const init: RequestInit & { duplex: "half" } = { method: "POST", body, headers, duplex: "half" };
        assert.equal((await client.request("/_svc/action/small", init)).status, 413);
      },
      {},
      { actions: { small } },
    );
  });

  it("timeout: aborts the signal, answers 503 and logs the timeout", async () => {
    const clock = new SimulatedClock();
    const { wait, begun } = endless({ timeout: 5000 });
    await withFixture(
      async ({ client, logged }) => {
        const answer = client.action("wait");
        const signal = await begun;
        await clock.advance(4999);
        assert.equal(signal.aborted, false);
        await clock.advance(1);
        assert.equal(signal.aborted, true);
        const { status, reply } = await answer;
        assert.equal(status, 503);
        assert.match(String(reply.error), /longer than its timeout of 5000 ms/);
        assert.match(logged.join("\n"), /longer than its timeout of 5000 ms/);
      },
      {},
      { actions: { wait }, clock },
    );
  });

  it("timeout: leaves no timer behind when the action ends in time", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async ({ client }) => {
        await client.csrfToken();
        const before = clock.pending;
        assert.equal((await client.action("quick")).reply.value, 1);
        assert.equal(clock.pending, before);
      },
      {},
      { actions: { quick: action(() => 1, { timeout: 5000 }) }, clock },
    );
  });

  it("are rejected at the definition when they are invalid", () => {
    for (const options of [{ timeout: 0 }, { maxBytes: -1 }, { limit: { perMinute: 1.5 } }, { retries: 3 }, null]) {
      assert.throws(() => action(() => 1, options as never), { code: "SVC_DEFINITION" }, JSON.stringify(options));
    }
  });
});

describe("an action whose caller leaves", () => {
  it("gets its signal aborted, and logs no error that it throws afterwards", async () => {
    const { wait, begun } = endless({});
    await withFixture(
      async ({ client, logged }) => {
        const left = new AbortController();
        const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken() };
        const init = { method: "POST", body: '{"args":[]}', headers, signal: left.signal };
        const answer = client.request("/_svc/action/wait", init).catch(() => undefined);
        const signal = await begun;
        left.abort();
        await answer;
        assert.equal(signal.aborted, true);
        assert.deepEqual(logged, []);
      },
      {},
      { actions: { wait } },
    );
  });
});

describe("an action", () => {
  const actions = {
    taken: action(() => fail(409, "That name is taken", [{ path: ["name"], message: "taken" }])),
    leave: action(() => redirect("/plain")),
    wrong: action(() => fail(200, "no refusal")),
  };

  it("answers with the status and the issues given to fail", async () => {
    await withFixture(
      async ({ client }) => {
        const issues = [{ path: ["name"], message: "taken" }];
        const reply = { ok: false, value: null, error: "That name is taken", issues };
        assert.deepEqual(await client.action("taken"), { status: 409, reply });
      },
      {},
      { actions },
    );
  });

  it("answers 500 when fail is given a status that is not an error status", async () => {
    await withFixture(async ({ client }) => assert.equal((await client.action("wrong")).status, 500), {}, { actions });
  });

  it("answers with the target of a redirect and the value null", async () => {
    const reply = { ok: true, value: null, error: null, redirect: "/plain" };
    await withFixture(
      async ({ client }) => assert.deepEqual(await client.action("leave"), { status: 200, reply }),
      {},
      { actions },
    );
  });

  it("rejects with an ActionError on the server too, when called directly", async () => {
    await assert.rejects(actions.taken(), (error) => {
      assert.ok(error instanceof ActionError);
      assert.deepEqual([error.status, error.message, error.issues?.length], [409, "That name is taken", 1]);
      return true;
    });
    await assert.rejects(actions.leave(), (error) => !(error instanceof ActionError));
    assert.ok(!(new TypeError("a fault") instanceof ActionError));
  });

  it("ignores call options on the server: they are for the browser", async () => {
    const options = { signal: AbortSignal.abort(), idempotencyKey: "k" };
    assert.equal(
      await call(
        action((n: number) => n + 1),
        options,
      )(1),
      2,
    );
  });
});
