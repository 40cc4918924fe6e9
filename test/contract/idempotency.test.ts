/** `Idempotency-Key`: a repeated call runs once (IETF draft-ietf-httpapi-idempotency-key-header). */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { action, currentContext, fail, unauthorized, type AppOptions } from "svckit";
import { createTestClient, SimulatedClock, type TestClient } from "svckit/testing";
import * as v from "valibot";
import { createFixture, withFixture, type Fixture } from "./app.ts";

const KEY = '"8e03978e-40d5-43e8-bc93-6894a57f9324"';

interface Reply {
  status: number;
  reply: unknown;
  isReplayed: boolean;
}

async function send(client: TestClient, name: string, args: unknown[], key: string): Promise<Reply> {
  const response = await client.post(`/_svc/action/${name}`, { args }, { "idempotency-key": key });
  const isReplayed = response.headers.get("idempotency-replayed") === "true";
  return { status: response.status, reply: await response.json(), isReplayed };
}

/** Actions that count their runs, and one that ends when `go` is called. */
function counting() {
  const ran: string[] = [];
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const actions = {
    pay: action((amount: number) => {
      ran.push(`pay ${amount}`);
      return { receipt: ran.length };
    }),
    other: action((amount: number) => void ran.push(`other ${amount}`)),
    refuse: action(() => {
      ran.push("refuse");
      fail(409, "Sold out");
    }),
    crash: action(() => {
      ran.push("crash");
      throw new Error("no disk");
    }),
    checked: action(v.object({ n: v.number() }), ({ n }) => n),
    hold: action(async () => {
      ran.push("hold");
      await gate;
      return currentContext().signal.aborted;
    }),
    words: action(async function* () {
      yield 1;
    }),
    members: action(() => (ran.push("members"), 1)),
    greet: action(() => (currentContext().setCookie("seen", "yes"), 1)),
  };
  return { ran, go: () => go(), actions };
}

const within = (
  run: (fixture: Fixture, made: ReturnType<typeof counting>) => Promise<void>,
  env: Record<string, string> = {},
  options: AppOptions = {},
): Promise<void> => {
  const made = counting();
  return withFixture((fixture) => run(fixture, made), env, { actions: made.actions, ...options });
};

describe("a call with an idempotency key", () => {
  it("runs once and gets 409 when repeated, after its client has filled the budget of 16 MiB for stored answers", () =>
    withFixture(
      async ({ client }) => {
        const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
        for (const key of keys) assert.equal((await send(client, "long", [], key)).status, 200);
        const [first, last] = [await send(client, "long", [], "key-0"), await send(client, "long", [], "key-19")];
        assert.deepEqual([first.status, first.isReplayed], [200, true]);
        assert.deepEqual([last.status, last.isReplayed], [409, true]);
        assert.match(JSON.stringify(last.reply), /has already run, but its answer was not kept/);
      },
      {},
      { actions: { long: action(() => "x".repeat(1024 ** 2)) } },
    ));

  it("sets its cookies once: a replayed response has none", () =>
    within(async ({ client }) => {
      const call = () => client.post("/_svc/action/greet", { args: [] }, { "idempotency-key": KEY });
      const cookiesOf = (response: Response) =>
        response.headers.getSetCookie().filter((line) => line.startsWith("seen="));
      assert.equal(cookiesOf(await call()).length, 1);
      const again = await call();
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.deepEqual(cookiesOf(again), []);
    }));

  it("runs once: the same call again gets the same response, marked as replayed", () =>
    within(async ({ client }, { ran }) => {
      const first = await send(client, "pay", [5], KEY);
      assert.deepEqual(first, {
        status: 200,
        reply: { ok: true, value: { receipt: 1 }, error: null },
        isReplayed: false,
      });
      assert.deepEqual(await send(client, "pay", [5], KEY), { ...first, isReplayed: true });
      // The draft quotes the key. Without quotes it is the same key.
      assert.deepEqual(await send(client, "pay", [5], KEY.slice(1, -1)), { ...first, isReplayed: true });
      assert.deepEqual(ran, ["pay 5"]);
    }));

  it("runs once when 50 copies are sent at once", () =>
    within(async ({ client }, { ran }) => {
      await client.csrfToken();
      const reported = await Promise.all(Array.from({ length: 50 }, () => send(client, "pay", [5], KEY)));
      assert.deepEqual(ran, ["pay 5"]);
      assert.ok(reported.every(({ status }) => status === 200 || status === 409));
      assert.equal(reported.filter(({ status, isReplayed }) => status === 200 && !isReplayed).length, 1);
      assert.equal((await send(client, "pay", [5], KEY)).isReplayed, true);
    }));

  it("gets 422 with other arguments, and 409 while the first one still runs", () =>
    within(async ({ client }, { ran, go }) => {
      await send(client, "pay", [5], KEY);
      const other = await send(client, "pay", [6], KEY);
      assert.equal(other.status, 422);
      assert.match((other.reply as { error: string }).error, /other arguments/);
      const first = send(client, "hold", [], KEY);
      while (!ran.includes("hold")) await new Promise<void>((resolve) => setImmediate(resolve));
      const response = await client.post("/_svc/action/hold", { args: [] }, { "idempotency-key": KEY });
      assert.equal(response.status, 409);
      assert.equal(response.headers.get("retry-after"), "1");
      go();
      assert.equal((await first).status, 200);
      assert.equal((await send(client, "hold", [], KEY)).isReplayed, true);
      assert.deepEqual(ran, ["pay 5", "hold"]);
    }));

  it("replays refusals and errors too: a completed call does not run again", () =>
    within(async ({ client }, { ran }) => {
      for (const [name, status] of [
        ["refuse", 409],
        ["crash", 500],
      ] as const) {
        const first = await send(client, name, [], KEY);
        assert.equal(first.status, status);
        assert.deepEqual(await send(client, name, [], KEY), { ...first, isReplayed: true });
      }
      const invalid = await send(client, "checked", [{ n: "1" }], KEY);
      assert.equal((invalid.reply as { issues: unknown[] }).issues.length, 1);
      assert.deepEqual(await send(client, "checked", [{ n: "1" }], KEY), { ...invalid, isReplayed: true });
      assert.deepEqual(ran, ["refuse", "crash"]);
    }));

  it("is independent of other actions and other sessions", () =>
    within(async ({ app, client }, { ran }) => {
      await send(client, "pay", [5], KEY);
      await send(client, "other", [5], KEY);
      const { isReplayed } = await send(createTestClient(app), "pay", [5], KEY);
      assert.equal(isReplayed, false);
      assert.deepEqual(ran, ["pay 5", "other 5", "pay 5"]);
    }));

  it("passes the same checks when repeated: rate limit, token and middleware come first", () => {
    let isIn = true;
    return within(
      async ({ client }, { ran }) => {
        await send(client, "members", [], KEY);
        isIn = false;
        assert.equal((await send(client, "members", [], KEY)).status, 401);
        const response = await client.post("/_svc/action/members", { args: [] }, { "idempotency-key": KEY });
        assert.ok(response.headers.get("ratelimit"));
        const headers = { "content-type": "application/json", "idempotency-key": KEY };
        const bare = await client.request("/_svc/action/members", { method: "POST", body: '{"args":[]}', headers });
        assert.equal(bare.status, 403);
        assert.deepEqual(ran, ["members"]);
      },
      {},
      { middleware: [(ctx, next) => (ctx.path.endsWith("/members") && !isIn ? unauthorized() : next())] },
    );
  });

  it("gets 422 if the key is invalid or the action streams", () =>
    within(async ({ client }, { ran }) => {
      for (const key of ['""', "two words", `"${"x".repeat(256)}"`, '"open', 'a"b'])
        assert.equal((await send(client, "pay", [5], key)).status, 422, key);
      assert.equal((await send(client, "words", [], KEY)).status, 422);
      assert.deepEqual(ran, []);
    }));

  it("is replayed for 24 hours", async () => {
    const clock = new SimulatedClock();
    await within(
      async ({ client }, { ran }) => {
        await send(client, "pay", [5], KEY);
        await clock.advance(24 * 3_600_000 - 1);
        assert.equal((await send(client, "pay", [5], KEY)).isReplayed, true);
        await clock.advance(2);
        assert.equal((await send(client, "pay", [5], KEY)).isReplayed, false);
        assert.deepEqual(ran, ["pay 5", "pay 5"]);
      },
      {},
      { clock },
    );
  });

  it("continues when the client leaves, and the client gets the response when it returns", () =>
    within(async ({ client }, { ran, go }) => {
      const left = new AbortController();
      const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken() };
      const init = { method: "POST", body: '{"args":[]}', headers: { ...headers, "idempotency-key": KEY } };
      const lost = client.request("/_svc/action/hold", { ...init, signal: left.signal }).catch(() => undefined);
      while (ran.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      left.abort();
      go();
      await lost;
      const again = await send(client, "hold", [], KEY);
      assert.deepEqual(again, { status: 200, reply: { ok: true, value: false, error: null }, isReplayed: true });
    }));
});

describe("idempotency keys on disk", () => {
  it("survive the process: a completed call is replayed, and an interrupted one does not run again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      const env = { SVC_DATABASE_URL: `sqlite:${join(folder, "svc.db")}`, SVC_SECRET: "the same secret for both" };
      const before = counting();
      // This action never ends, so the drain must not wait for it.
      const first = createFixture(env, { actions: before.actions, drain: { deadline: "1ms" } });
      await send(first.client, "pay", [5], KEY);
      void send(first.client, "hold", [], KEY).catch(() => undefined);
      while (!before.ran.includes("hold")) await new Promise<void>((resolve) => setImmediate(resolve));
      await first.close();

      const after = counting();
      const second = createFixture(env, { actions: after.actions });
      const client = createTestClient(
        {
          fetch: (request) => {
            // The cookie that the client got from the first process.
            request.headers.set("cookie", [...first.client.cookies].map((pair) => pair.join("=")).join("; "));
            return second.app.fetch(request);
          },
        },
        { tokenPage: "/_svc/demo" },
      );
      assert.deepEqual((await send(client, "pay", [5], KEY)).isReplayed, true);
      assert.equal((await send(client, "hold", [], KEY)).status, 409);
      assert.deepEqual(after.ran, []);
      before.go();
      await second.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
