/** Callers that hang up, over a socket: the action is told, a stream is ended, and nobody calls it a fault. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, currentContext } from "svc";
import { createTestClient, type TestClient } from "svc/testing";
import { withFixture } from "./app.ts";

/** Something that is told of from within. */
function told<Value>() {
  let tell: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => (tell = resolve));
  return { promise, tell: (value: Value) => tell(value) };
}

/** A POST as a page sends it, which can be given up. */
async function call(client: TestClient, url: string, name: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/x-ndjson",
    "x-svc-csrf": await client.csrfToken(),
    cookie: [...client.cookies].map((pair) => pair.join("=")).join("; "),
  };
  return fetch(`${url}/_svc/action/${name}`, { method: "POST", body: '{"args":[]}', headers, signal });
}

describe("a caller that hangs up", () => {
  it("aborts what its action waits for", async () => {
    const [begun, ended] = [told<void>(), told<unknown>()];
    const wait = action(() => {
      const { signal } = currentContext();
      begun.tell();
      return new Promise<null>((_, reject) =>
        signal.addEventListener("abort", () => {
          ended.tell(signal.reason);
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
        await close();
        assert.deepEqual(logged, []);
      },
      {},
      { actions: { wait } },
    );
  });

  it("ends a stream, whether it yields or waits", async () => {
    for (const doesWait of [false, true]) {
      const ended = told<void>();
      const words = action(async function* () {
        const { signal } = currentContext();
        try {
          yield "first";
          if (doesWait) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          for (;;) yield "x".repeat(10_000);
        } finally {
          ended.tell();
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
