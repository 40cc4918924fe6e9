/** Clients that disconnect, over a socket: the app aborts work done for them, ends streams and logs no error. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, currentContext, type Context } from "svckit";
import { createFullStackApp, submit } from "svckit/fullstack";
import { createTestClient, recordLog, type RecordedLog, type TestClient } from "svckit/testing";
import * as v from "valibot";
import { withFixture } from "./app.ts";

/** A promise that its owner resolves with `report`. */
function reported<Value>() {
  let report: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => (report = resolve));
  return { promise, report: (value: Value) => report(value) };
}

/** A POST as a page sends it, which the test can abort. */
async function call(client: TestClient, url: string, name: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/x-ndjson",
    "x-svc-csrf": await client.csrfToken(),
    cookie: [...client.cookies].map((pair) => pair.join("=")).join("; "),
  };
  return fetch(`${url}/_svc/action/${name}`, { method: "POST", body: '{"args":[]}', headers, signal });
}

describe("a caller that disconnects", () => {
  it("aborts its action's signal", async () => {
    const [begun, ended] = [reported<void>(), reported<unknown>()];
    const wait = action(() => {
      const { signal } = currentContext();
      begun.report();
      return new Promise<null>((_, reject) =>
        signal.addEventListener("abort", () => {
          ended.report(signal.reason);
          reject(signal.reason as Error);
        }),
      );
    });
    await withFixture(
      async ({ app, logged }) => {
        const { url, close } = await app.start({ host: "127.0.0.1", port: 0 });
        const left = new AbortController();
        const answer = call(createTestClient(app, { origin: url }), url, "wait", left.signal);
        await begun.promise;
        left.abort();
        await assert.rejects(answer, { name: "AbortError" });
        assert.equal(((await ended.promise) as Error).name, "AbortError");
        // The server counts the request once it knows that the connection is gone.
        const outcomes = async () => (await app.operations.status()).actions;
        while (Object.keys(await outcomes()).length === 0) await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(await outcomes(), { left: 1 });
        await close();
        assert.deepEqual(logged, []);
      },
      {},
      { actions: { wait } },
    );
  });

  it("ends a stream, whether it is yielding or waiting", async () => {
    for (const doesWait of [false, true]) {
      const ended = reported<void>();
      const words = action(async function* () {
        const { signal } = currentContext();
        try {
          yield "first";
          if (doesWait) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          for (;;) yield "x".repeat(10_000);
        } finally {
          ended.report();
        }
      });
      await withFixture(
        async ({ app, logged }) => {
          const { url, close } = await app.start({ host: "127.0.0.1", port: 0 });
          const left = new AbortController();
          const response = await call(createTestClient(app, { origin: url }), url, "words", left.signal);
          const reader = (response.body as ReadableStream<Uint8Array>).getReader();
          assert.match(Buffer.from((await reader.read()).value ?? []).toString(), /^\{"value":"first"\}\n/);
          left.abort();
          await ended.promise;
          await close();
          assert.deepEqual(logged, []);
        },
        {},
        { actions: { words } },
      );
    }
  });
});

describe("a visitor who leaves", () => {
  /** An app whose page and form wait until the visitor has left. */
  function waiting() {
    const [begun, ended] = [reported<void>(), reported<void>()];
    const wait = ({ signal }: Context): Promise<never> =>
      new Promise((_, reject) => {
        const leave = (): void => reject(signal.reason as Error);
        if (signal.aborted) return leave();
        signal.addEventListener("abort", leave);
        begun.report();
      });
    const recorded = recordLog();
    const log: RecordedLog = {
      ...recorded,
      info: (fields, message) => {
        recorded.info(fields, message);
        if (fields["isCut"] === true) ended.report();
      },
    };
    const pages = {
      "./pages/_error.tsx": { default: () => "failed" },
      "./pages/index.tsx": { default: () => "here" },
      "./pages/slow.tsx": { default: () => "there", load: wait },
    };
    const env = { NODE_ENV: "test", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) };
    const app = createFullStackApp(
      {
        env,
        log,
        accessLog: true,
        submits: [submit("slow", { schema: v.object({}) }, (_values, { ctx }) => wait(ctx))],
      },
      pages,
    );
    return { app, log, begun: begun.promise, ended: ended.promise };
  }

  /** The logged requests, warnings and errors. */
  const linesOf = ({ entries }: RecordedLog) =>
    entries
      .filter(({ level, message }) => message === "request" || level === "warn" || level === "error")
      .map(({ message, fields }) => [message, fields["route"], fields["status"], fields["isCut"]]);

  for (const [what, path, init] of [
    ["a page inside an _error.tsx", "/slow", {}],
    ["a form", "/_svc/submit/slow", { method: "POST", body: new URLSearchParams({ _page: "/slow" }) }],
  ] satisfies [string, string, RequestInit][]) {
    it(`before ${what} is answered causes no warning and no error`, async () => {
      const { app, log, begun, ended } = waiting();
      const { url, close } = await app.start({ host: "127.0.0.1", port: 0 });
      const client = createTestClient(app, { origin: url });
      const headers = {
        accept: "text/html",
        "x-svc-csrf": await client.csrfToken(),
        cookie: [...client.cookies].map((pair) => pair.join("=")).join("; "),
      };
      const before = linesOf(log).length;
      const left = new AbortController();
      const answer = fetch(url + path, { ...init, headers, signal: left.signal });
      await begun;
      left.abort();
      await assert.rejects(answer, { name: "AbortError" });
      await ended;
      await close();
      const route = path === "/slow" ? "/slow" : "/_svc/submit/:name";
      assert.deepEqual(linesOf(log).slice(before), [["request", route, 499, true]]);
    });
  }
});
