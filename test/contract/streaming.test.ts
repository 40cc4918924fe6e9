/** Pages that are sent in parts, through the adapters of the app. src/web/ssr and test/e2e check the content of the parts. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Await, page, resource } from "svckit";
import { createFixture } from "./app.ts";

interface Gate {
  promise: Promise<string>;
  resolve: (value: string) => void;
  reject: (error: Error) => void;
}

const gates = new Map<string, Gate>();

/** A promise by its name, which is in the path. */
function gate(name: string): Gate {
  let found = gates.get(name);
  if (!found) {
    let settle: Pick<Gate, "resolve" | "reject"> | undefined;
    const promise = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
    assert.ok(settle);
    gates.set(name, (found = { promise, ...settle }));
  }
  return found;
}

const written: number[] = [];
const aborted: string[] = [];
const unhandled: unknown[] = [];
const hear = (error: unknown): void => void unhandled.push(error);
process.on("unhandledRejection", hear);

const piece = (value: Promise<string>): unknown => Await({ value, catch: "failed", children: (text) => text });

const fixture = createFixture(
  {},
  {
    pages: [
      page("/slow/:name", {
        title: "Slow",
        status: 203,
        view: (_data, { params }) => ["first ", piece(gate(params["name"] ?? "").promise), " last"],
      }),
      page("/fetched/:name", {
        title: "Fetched",
        view: (_data, { params }) => {
          const name = params["name"] ?? "";
          const found = resource(
            () => name,
            (key, { signal }) => {
              signal.addEventListener("abort", () => {
                aborted.push(key);
                gate(`${key} aborted`).resolve("");
              });
              return gate(key).promise;
            },
          );
          return Await({ value: found, children: (text) => text });
        },
      }),
      page("/many", {
        title: "Many",
        view: () =>
          Array.from({ length: 50 }, (_, at) =>
            Await({
              value: new Promise((done) => setImmediate(() => setImmediate(() => done(at)))),
              children: (value) => {
                written.push(Number(value));
                return "x".repeat(10_000);
              },
            }),
          ),
      }),
      page("/never-awaited", {
        title: "Never awaited",
        load: () => ({ late: Promise.reject(new Error("nobody waits")) }),
        view: () => "done",
      }),
    ],
  },
);
const started = await fixture.app.start({ port: 0, host: "127.0.0.1" });
const adapters: Record<string, (path: string, init?: RequestInit) => Promise<Response>> = {
  "a socket": (path, init) => fetch(started.url + path, init),
  fetch: (path, init) => fixture.app.fetch(new Request(`http://localhost${path}`, init)),
};

/** Reads until the text contains `part`. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, part: string): Promise<string> {
  let text = "";
  while (!text.includes(part)) {
    const { done, value } = await reader.read();
    assert.ok(!done, `the answer ended before ${part}: ${text}`);
    text += Buffer.from(value).toString();
  }
  return text;
}

for (const [adapter, ask] of Object.entries(adapters)) {
  const named = (name: string): string => encodeURIComponent(`${name} ${adapter}`);

  describe(`a streamed page through ${adapter}`, () => {
    it("sends its first part before the rest is ready, with the headers of a page", async () => {
      const name = `early ${adapter}`;
      const response = await ask(`/slow/${encodeURIComponent(name)}`);
      assert.equal(response.status, 203);
      const headers = ["content-type", "content-length", "cache-control", "x-accel-buffering", "etag"];
      assert.deepEqual(
        headers.map((header) => response.headers.get(header)),
        ["text/html; charset=utf-8", null, "private, no-cache", "no", null],
      );
      // Node's client accepts gzip, so over the socket each part is compressed and still sent immediately.
      assert.equal(response.headers.get("content-encoding"), adapter === "a socket" ? "gzip" : null);
      assert.match(response.headers.get("content-security-policy") ?? "", /'nonce-/);
      const reader = response.body?.getReader();
      assert.ok(reader);
      await readUntil(reader, "first ");
      gate(name).resolve("middle");
      assert.match(await readUntil(reader, "</html>"), /^middle last<\/body><\/html>$/);
      assert.equal((await reader.read()).done, true);
    });

    it("answers HEAD with the same headers and aborts its fetches", async () => {
      const response = await ask(`/fetched/${named("head")}`, { method: "HEAD" });
      assert.deepEqual([response.status, await response.text()], [200, ""]);
      assert.equal(response.headers.get("x-accel-buffering"), "no");
      await gate(`head ${adapter} aborted`).promise;
    });

    it("aborts its fetches when the client leaves", async () => {
      const controller = new AbortController();
      const response = await ask(`/fetched/${named("leaving")}`, { signal: controller.signal });
      const reader = response.body?.getReader();
      assert.ok(reader);
      await readUntil(reader, "<body>");
      await reader.cancel();
      controller.abort();
      await gate(`leaving ${adapter} aborted`).promise;
      gate(`leaving ${adapter}`).reject(new Error("too late"));
    });

    it("is a complete page if a part fails, and the failure is logged with the request's id", async () => {
      const response = await ask(`/slow/${named("failing")}`, {
        headers: { "x-request-id": `failing-${adapter.length}` },
      });
      gate(`failing ${adapter}`).reject(new Error("a secret"));
      assert.match(await response.text(), /first failed last<\/body><\/html>$/);
      assert.match(
        fixture.logged.join("\n"),
        new RegExp(`"reqId":"failing-${adapter.length}",.*"page":"/slow/:[^]*a secret`),
      );
    });

    it("has a known length if nothing is late", async () => {
      gate("known").resolve("known");
      const response = await ask("/slow/known");
      const text = await response.text();
      assert.equal(response.headers.get("content-length"), String(text.length));
      assert.equal(response.headers.get("x-accel-buffering"), null);
    });

    it("survives a promise that nobody awaits", async () => {
      assert.match(await (await ask("/never-awaited")).text(), /done/);
    });
  });
}

describe("a client that does not read", () => {
  after(async () => {
    await started.close();
    await fixture.close();
    process.off("unhandledRejection", hear);
    assert.deepEqual(unhandled, []);
  });

  it("stops the rendering of further parts", async () => {
    const response = await adapters["fetch"]?.("/many");
    const reader = response?.body?.getReader();
    assert.ok(reader);
    await readUntil(reader, "<body>");
    for (let turn = 0; turn < 10; turn++) await new Promise<void>((done) => setImmediate(done));
    assert.ok(written.length < 5, `${written.length} pieces were written`);
    await readUntil(reader, "</html>");
    assert.equal(written.length, 50);
    assert.deepEqual(aborted.length, 4);
  });
});
