/** What an action may be given of its own: a limit, a time, a size; and how it ends when its caller leaves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, ActionError, call, currentContext, fail, redirect, type ActionOptions } from "svckit";
import { SimulatedClock } from "svckit/testing";
import { withFixture } from "./app.ts";

/** An action that says when it has begun, and ends with its request's signal or never. */
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

describe("an action's own options", () => {
  it("limit: its calls are counted by themselves, in place of the limit of all actions", async () => {
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

  it("maxBytes: a longer body is refused with 413, by its announced length and by what comes", async () => {
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

  it("timeout: the signal aborts and the answer is 503, which is logged", async () => {
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

  it("timeout: an action that ends in time leaves no timer", async () => {
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

  it("are refused at the definition where they are none", () => {
    for (const options of [{ timeout: 0 }, { maxBytes: -1 }, { limit: { perMinute: 1.5 } }, { retries: 3 }, null]) {
      assert.throws(() => action(() => 1, options as never), { code: "SVC_DEFINITION" }, JSON.stringify(options));
    }
  });
});

describe("an action whose caller leaves", () => {
  it("has its signal aborted, and what it then throws is no fault", async () => {
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

describe("an action ends", () => {
  const actions = {
    taken: action(() => fail(409, "That name is taken", [{ path: ["name"], message: "taken" }])),
    leave: action(() => redirect("/plain")),
    wrong: action(() => fail(200, "no refusal")),
  };

  it("with the status that fail is given, and its issues", async () => {
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

  it("with 500 where fail is given a status that is no refusal", async () => {
    await withFixture(async ({ client }) => assert.equal((await client.action("wrong")).status, 500), {}, { actions });
  });

  it("with a place to go to, beside an empty value", async () => {
    const reply = { ok: true, value: null, error: null, redirect: "/plain" };
    await withFixture(
      async ({ client }) => assert.deepEqual(await client.action("leave"), { status: 200, reply }),
      {},
      { actions },
    );
  });

  it("with an error that is an ActionError on the server too, where it is called directly", async () => {
    await assert.rejects(actions.taken(), (error) => {
      assert.ok(error instanceof ActionError);
      assert.deepEqual([error.status, error.message, error.issues?.length], [409, "That name is taken", 1]);
      return true;
    });
    await assert.rejects(actions.leave(), (error) => !(error instanceof ActionError));
    assert.ok(!(new TypeError("a fault") instanceof ActionError));
  });

  it("the same when it is called with options, which are the browser's", async () => {
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
