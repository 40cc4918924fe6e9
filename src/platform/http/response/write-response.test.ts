import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { listenTo, siteHttp, throughBothAdapters, type Site } from "../adapters.test.ts";
import { empty, text } from "./response.ts";
import type { Result } from "../types.ts";

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const part of parts) yield part;
}

const stream = (body: Result["body"], status = 200): Result => ({ status, headers: [], body });
const LONG = "é".repeat(20_000);
const BIG = new Uint8Array(3_000_000).fill(97);

const withHeader =
  (...headers: string[]) =>
  (): Result => ({ status: 200, headers, body: "answer" });

const SITE: Site = {
  routes: {
    "GET /text": () => text("café"),
    "GET /long": () => text(LONG),
    "GET /bytes": () => stream(Uint8Array.of(0, 255, 1)),
    "GET /stream": () => stream(chunks("one ", new TextEncoder().encode("twö "), "", "three")),
    "GET /big": () => stream(chunks(BIG, BIG)),
    "GET /no-content": () => ({ status: 204, headers: [], body: "not sent" }),
    "GET /reset": () => ({ status: 205, headers: [], body: "not sent" }),
    "GET /stream-204": () => stream(chunks("not sent"), 204),
    "GET /web": () => {
      const headers = new Headers([
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["X-Web", "yes"],
      ]);
      return new Response("from the web", { status: 201, headers });
    },
    "GET /web-large": () => new Response(LONG),
    "GET /web-empty": () => new Response(""),
    "GET /web-pieces": () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const part of ["one ", "two ", "three"]) controller.enqueue(Buffer.from(part));
            controller.close();
          },
        }),
      ),
    "GET /web-late": () =>
      new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
            controller.enqueue(Buffer.from("late"));
            controller.close();
          },
        }),
      ),
    "GET /web-json": () => Response.json({ ok: true }),
    "GET /web-error": () => Response.error(),
    "GET /sized": () => new Response("12345", { headers: { "content-length": "5" } }),
    "HEAD /by-hand": () => ({ status: 200, headers: ["content-length", "77"], body: null }),
    "GET /wrong-length": withHeader("Content-Length", "3"),
    "GET /value": withHeader("x-a", "content-length"),
    "GET /crlf": withHeader("x-a", "1\r\nset-cookie: stolen=1"),
    "GET /crlf-end": withHeader("x-a", "1\r\n"),
    "GET /bad-name": withHeader("x a", "1"),
    "GET /crlf-name": withHeader("x\r\ny", "1"),
    "GET /status-0": () => empty(0),
    "GET /status-101": () => empty(101),
    "GET /status-1000": () => empty(1000),
    "GET /crlf-stream": () => ({ status: 200, headers: ["x-a", "\n"], body: chunks("x") }),
  },
};

throughBothAdapters("bodies of answers", SITE, (send, http) => {
  it("have their length in bytes if it is known", async () => {
    for (const [target, bytes] of [
      ["/text", Buffer.from("café")],
      ["/long", Buffer.from(LONG)],
      ["/bytes", Buffer.of(0, 255, 1)],
    ] as const) {
      const reply = await send(target);
      assert.equal(reply.headers["content-length"], String(bytes.length), target);
      assert.deepEqual(reply.bytes, bytes, target);
    }
  });

  it("are streamed chunk by chunk without a length", async () => {
    const reply = await send("/stream");
    assert.deepEqual([reply.text, reply.headers["content-length"]], ["one twö three", undefined]);
    assert.equal((await send("/big")).bytes.length, 6_000_000);
  });

  it("are omitted for HEAD and for statuses without one", async () => {
    for (const target of ["/no-content", "/reset", "/stream-204"]) assert.equal((await send(target)).text, "", target);
    const head = await send("/stream", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  it("may come from a web Response, with its status, headers and all cookies", async () => {
    const reply = await send("/web");
    assert.deepEqual([reply.status, reply.text, reply.headers["x-web"]], [201, "from the web", "yes"]);
    assert.deepEqual(reply.cookies, ["a=1", "b=2"]);
    assert.equal((await send("/web-json")).headers["content-type"], "application/json");
    assert.equal((await send("/sized")).text, "12345");
  });

  it("of a web Response have a length if they are available immediately, and are streamed otherwise", async () => {
    for (const [target, whole] of [
      ["/web", "from the web"],
      ["/web-large", LONG],
      ["/web-empty", ""],
      ["/web-json", '{"ok":true}'],
    ] as const) {
      const reply = await send(target);
      assert.deepEqual(
        [reply.text, reply.headers["content-length"]],
        [whole, String(Buffer.byteLength(whole))],
        target,
      );
    }
    for (const [target, whole] of [
      ["/web-pieces", "one two three"],
      ["/web-late", "late"],
    ] as const) {
      const reply = await send(target);
      assert.deepEqual([reply.text, reply.headers["content-length"]], [whole, undefined], target);
    }
  });

  it("have only one, correct length; a handler's response to HEAD keeps its own", async () => {
    const wrong = await send("/wrong-length");
    assert.deepEqual([wrong.text, wrong.headers["content-length"]], ["answer", "6"]);
    assert.equal((await send("/by-hand", { method: "HEAD" })).headers["content-length"], "77");
    const value = await send("/value");
    assert.deepEqual([value.headers["x-a"], value.headers["content-length"]], ["content-length", "6"]);
  });

  it("with an invalid header or status become a 500, and are never split, cut or left hanging", async () => {
    const targets = [
      "/crlf",
      "/crlf-end",
      "/bad-name",
      "/crlf-name",
      "/crlf-stream",
      "/status-0",
      "/status-101",
      "/status-1000",
      "/web-error",
    ];
    for (const target of targets) {
      http.faults.length = 0;
      const reply = await send(target);
      assert.equal(reply.status, 500, target);
      assert.deepEqual(reply.cookies, [], target);
      assert.equal(reply.headers["x-finished"], "yes", target);
      assert.equal(http.faults.length, 1, target);
    }
  });
});

/** A web stream with one chunk and no end. */
function quietStream() {
  let onCancel!: () => void;
  const cancelled = new Promise<void>((resolve) => (onCancel = resolve));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Uint8Array.of(97)),
    cancel: () => onCancel(),
  });
  return { body, cancelled };
}

const open = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void get(url, { agent: false }, resolve).on("error", reject));

describe("a streamed response over a socket", () => {
  it("is aborted if it fails, so that the client notices, and is logged once", async (test) => {
    let breakNow = (): void => undefined;
    const half = new Promise<void>((resolve) => (breakNow = resolve));
    const broken = async function* (): AsyncGenerator<string> {
      yield "half";
      await half;
      throw new Error("the source broke");
    };
    const http = siteHttp({ routes: { "GET /": () => stream(broken()), "GET /next": () => text("alive") } });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await open(server.url);
    reply.once("data", breakNow);
    const [error] = (await once(reply, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    assert.deepEqual(http.faults.map(String), ["Error: the source broke"]);
    assert.equal((await open(`${server.url}/next`)).resume().statusCode, 200);
    await server.close(1000);
  });

  it("stops its source when the client disconnects", async (test) => {
    let onEnd!: () => void;
    const ended = new Promise<void>((resolve) => (onEnd = resolve));
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield BIG;
      } finally {
        onEnd();
      }
    };
    const http = siteHttp({ routes: { "GET /": () => stream(endless()) } });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await open(server.url);
    await new Promise((resolve) => reply.once("data", resolve));
    reply.destroy();
    await ended;
    await server.close(1000);
    assert.deepEqual(http.faults, []);
  });

  it("is not started, and its source is ended, if the client has disconnected before", async (test) => {
    const { body, cancelled } = quietStream();
    let onStart!: () => void;
    const started = new Promise<void>((resolve) => (onStart = resolve));
    const http = siteHttp({
      routes: {
        "GET /": async (ctx) => {
          const left = once(ctx.signal, "abort");
          onStart();
          await left;
          return new Response(body);
        },
      },
    });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const asked = get(server.url, { agent: false });
    asked.on("error", () => undefined); // our own destroy
    await started;
    asked.destroy();
    await cancelled;
    assert.deepEqual(http.faults, []);
  });

  it("of a quiet web stream is cancelled when the client disconnects, without waiting for the next chunk", async (test) => {
    const { body, cancelled } = quietStream();
    const server = await listenTo(siteHttp({ routes: { "GET /": () => new Response(body) } }));
    test.after(() => server.close(0));
    const reply = await open(server.url);
    await new Promise((resolve) => reply.once("data", resolve));
    reply.destroy();
    await cancelled;
    await server.close(1000);
  });

  it("counts as ended when the client has disconnected, even if its source has not; a later error is reported", async (test) => {
    let breakNow = (): void => undefined;
    const late = new Promise<void>((resolve) => (breakNow = resolve));
    const unsettled = async function* (): AsyncGenerator<string> {
      yield "first";
      await late;
      throw new Error("the source broke");
    };
    let end: (isCut: boolean) => void;
    const hasEnded = new Promise<boolean>((resolve) => (end = resolve));
    const http = siteHttp({
      routes: { "GET /": () => stream(unsettled()) },
      observer: {
        began: () => undefined,
        answering: () => undefined,
        ended: (_ctx, _result, _durationMs, isCut) => end(isCut),
      },
    });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await open(server.url);
    await new Promise((resolve) => reply.once("data", resolve));
    reply.destroy();
    assert.equal(await hasEnded, true);
    breakNow();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(http.faults.map(String), ["Error: the source broke"]);
  });

  it("waits for a slow client instead of buffering", async (test) => {
    let made = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for (; made < 200; made++) yield BIG;
    };
    const http = siteHttp({ routes: { "GET /": () => stream(counted()) } });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await open(server.url);
    await new Promise((resolve) => reply.once("readable", resolve));
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== made;) {
        before = made;
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      return made;
    };
    assert.ok((await settled()) < 20, `${made} chunks of 3 MB were made for a client that reads nothing`);
    reply.destroy();
    await server.close(1000);
  });
});

describe("a streamed response to HEAD", () => {
  it("cancels the stream without sending it", async () => {
    const { body, cancelled } = quietStream();
    const http = siteHttp({ routes: { "GET /": () => new Response(body) } });
    await http.fetch(new Request("http://a/", { method: "HEAD" }));
    await cancelled;
  });
});
