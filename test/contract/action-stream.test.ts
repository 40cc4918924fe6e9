/** Streaming actions: lines of JSON for clients that ask for them, an array for the others; and how streams end, with and without errors. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, currentContext, fail, redirect, unauthorized, type AppOptions } from "svckit";
import { SimulatedClock } from "svckit/testing";
import * as v from "valibot";
import { withFixture, type Fixture } from "./app.ts";

const NDJSON = "application/x-ndjson";

/** Sends the request as the browser's stub does. */
async function ask({ client }: Fixture, name: string, args: unknown[] = [], init: RequestInit = {}): Promise<Response> {
  const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken(), accept: NDJSON };
  return client.request(`/_svc/action/${name}`, { method: "POST", body: JSON.stringify({ args }), headers, ...init });
}

async function linesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  assert.ok(text.endsWith("\n"));
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
}

/** A source that the test pushes values into, and that reports how it was ended. */
function pushed() {
  const waiting: ((value: string | undefined) => void)[] = [];
  const ready: string[] = [];
  const seen = { asked: 0, ended: false };
  const push = (value: string | undefined): void => waiting.shift()?.(value);
  const source = action(async function* () {
    const { signal } = currentContext();
    signal.addEventListener("abort", () => push(undefined));
    try {
      for (;;) {
        seen.asked++;
        const next = ready.shift() ?? (await new Promise<string | undefined>((resolve) => waiting.push(resolve)));
        if (next === undefined) return;
        yield next;
      }
    } finally {
      seen.ended = true;
    }
  });
  return { source, push, seen };
}

/** Lets pending work proceed until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000 && !holds(); turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  assert.ok(holds());
}

const END = { ok: true, value: null, error: null, status: 200 };
const actions = {
  count: action(async function* (to: number) {
    for (let at = 1; at <= to; at++) yield at;
  }),
  checked: action(v.object({ to: v.number() }), async function* ({ to }) {
    yield { to };
  }),
  breaks: action(async function* () {
    yield "one";
    throw new Error("secret detail");
  }),
  refuses: action(async function* () {
    yield "one";
    fail(409, "No more", [{ path: ["to"], message: "too far" }]);
  }),
  closed: action(async function* () {
    unauthorized();
    yield 1;
  }),
  leaves: action(async function* () {
    yield 1;
    redirect("/plain");
  }),
  where: action(async function* () {
    yield currentContext().path;
    await Promise.resolve();
    yield currentContext().path;
  }),
  endless: action(async function* () {
    for (;;) yield "x";
  }),
  unsendable: action(async function* (): AsyncGenerator<unknown, void, void> {
    yield 1;
    yield 1n;
  }),
};
const within = (run: (fixture: Fixture) => Promise<void>, env = {}, options: AppOptions = {}) =>
  withFixture(run, env, { actions, ...options });

describe("a streaming action that is asked for lines", () => {
  it("sends a line for each value and the envelope at the end, and forbids caching and transforming", () =>
    within(async (fixture) => {
      const response = await ask(fixture, "count", [2]);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), NDJSON);
      assert.equal(response.headers.get("cache-control"), "no-store, no-transform");
      assert.ok(response.headers.get("ratelimit"));
      assert.deepEqual(await linesOf(response), [{ value: 1 }, { value: 2 }, END]);
      assert.deepEqual(await linesOf(await ask(fixture, "count", [0])), [END]);
    }));

  it("validates its argument first and answers with the status of the validation", () =>
    within(async (fixture) => {
      assert.deepEqual(await linesOf(await ask(fixture, "checked", [{ to: 3 }])), [{ value: { to: 3 } }, END]);
      const refused = await ask(fixture, "checked", [{ to: "3" }]);
      assert.equal(refused.status, 422);
      assert.equal(((await refused.json()) as { issues: unknown[] }).issues.length, 1);
    }));

  it("refuses before its first value as any action does", () =>
    within(async (fixture) => {
      const response = await ask(fixture, "closed");
      assert.equal(response.status, 401);
      assert.deepEqual(await response.json(), { ok: false, value: null, error: "Sign in first" });
    }));

  it("reports a later failure in the last line, with its status", () =>
    within(async (fixture) => {
      assert.deepEqual(await linesOf(await ask(fixture, "refuses")), [
        { value: "one" },
        { ok: false, value: null, error: "No more", issues: [{ path: ["to"], message: "too far" }], status: 409 },
      ]);
      assert.deepEqual((await linesOf(await ask(fixture, "leaves"))).at(-1), { ...END, redirect: "/plain" });
      assert.equal(fixture.logged.length, 0);
      assert.deepEqual((await linesOf(await ask(fixture, "breaks"))).at(-1), {
        ok: false,
        value: null,
        error: "secret detail",
        status: 500,
      });
      assert.match(fixture.logged.join("\n"), /secret detail/);
      assert.match(
        String(((await linesOf(await ask(fixture, "unsendable"))).at(-1) as { error: string }).error),
        /BigInt/i,
      );
    }));

  it("hides error details in production", () =>
    within(
      async (fixture) => {
        const last = (await linesOf(await ask(fixture, "breaks"))).at(-1);
        assert.deepEqual(last, { ok: false, value: null, error: "Internal error", status: 500 });
      },
      { NODE_ENV: "production" },
      { demo: true },
    ));

  it("keeps its request context from step to step", () =>
    within(async (fixture) => {
      const path = "/_svc/action/where";
      assert.deepEqual(await linesOf(await ask(fixture, "where")), [{ value: path }, { value: path }, END]);
    }));

  it("is guarded as any action is", () =>
    within(async ({ client }) => {
      const headers = { "content-type": "application/json", accept: NDJSON };
      const init = { method: "POST", body: '{"args":[1]}', headers };
      assert.equal((await client.request("/_svc/action/count", init)).status, 403);
    }));
});

describe("a streaming action that is asked for a plain response", () => {
  it("returns all its values as an array in the envelope", () =>
    within(async ({ client }) => {
      const reply = { ok: true, value: [1, 2, 3], error: null };
      assert.deepEqual(await client.action("count", 3), { status: 200, reply });
      assert.equal((await client.action("refuses")).status, 409);
    }));

  it("fails when there are too many values for one response", () =>
    within(async ({ client }) => {
      const { status, reply } = await client.action("endless");
      assert.equal(status, 413);
      assert.match(String(reply.error), /more than 10000 values/);
    }));
});

describe("a stream of an action", () => {
  it("produces no more than its reader consumes, and ends when the reader leaves", () => {
    let made = 0;
    let hasEnded = false;
    const many = action(async function* () {
      try {
        for (;;) {
          made++;
          yield "x".repeat(100_000);
        }
      } finally {
        hasEnded = true;
      }
    });
    return within(
      async (fixture) => {
        const response = await ask(fixture, "many");
        const reader = (response.body as ReadableStream<Uint8Array>).getReader();
        await reader.read();
        await new Promise<void>((resolve) => setImmediate(resolve));
        assert.ok(made < 10, `${made} values made for one read`);
        await reader.cancel();
        await until(() => hasEnded);
      },
      {},
      { actions: { many } },
    );
  });

  it("sends a keep-alive line after 15 s of silence, also before its first value", async () => {
    const clock = new SimulatedClock();
    const { source, push, seen } = pushed();
    await within(
      async (fixture) => {
        const answer = ask(fixture, "source");
        await until(() => seen.asked === 1);
        await clock.advance(15_000);
        const response = await answer;
        const reader = (response.body as ReadableStream<Uint8Array>).getReader();
        const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
        push("first");
        assert.equal(await next(), '{"value":"first"}\n');
        const silent = next();
        await until(() => seen.asked === 2);
        await clock.advance(15_000);
        assert.equal(await silent, "\n");
        push(undefined);
        assert.equal(await next(), `${JSON.stringify(END)}\n`);
      },
      {},
      { actions: { source }, clock },
    );
  });

  it("ends its action when the client leaves while it waits", async () => {
    const { source, seen } = pushed();
    await within(
      async (fixture) => {
        const left = new AbortController();
        const answer = ask(fixture, "source", [], { signal: left.signal }).catch(() => undefined);
        await until(() => seen.asked === 1);
        left.abort();
        await answer;
        await until(() => seen.ended);
        assert.deepEqual(fixture.logged, []);
      },
      {},
      { actions: { source } },
    );
  });

  it("ends with a 503 in its last line on timeout, and when the app closes", async () => {
    const clock = new SimulatedClock();
    const timed = action(
      async function* () {
        yield 1;
        await new Promise(() => undefined);
      },
      { timeout: 5000 },
    );
    await within(
      async (fixture) => {
        const response = await ask(fixture, "timed");
        const reported = linesOf(response);
        await clock.advance(5000);
        const last = (await reported).at(-1) as { status: number; error: string };
        assert.equal(last.status, 503);
        assert.match(last.error, /longer than its timeout of 5000 ms/);
        const other = linesOf(await ask(fixture, "timed"));
        await fixture.app.close();
        assert.deepEqual(((await other).at(-1) as { status: number }).status, 503);
      },
      {},
      { actions: { timed }, clock },
    );
  });
});

describe("a streaming action that is called on the server", () => {
  it("is an async iterable of its values, with the same validation", async () => {
    const found: unknown[] = [];
    for await (const value of actions.count(2)) found.push(value);
    for await (const value of actions.checked({ to: 1 })) found.push(value);
    assert.deepEqual(found, [1, 2, { to: 1 }]);
    await assert.rejects(actions.checked({ to: "x" } as never).next(), { code: "SVC_INVALID" });
  });
});
