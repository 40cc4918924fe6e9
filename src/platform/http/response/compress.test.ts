import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from "node:zlib";
import { SimulatedClock } from "../../shared/clock.ts";
import { chooseEncoding } from "../request/accept-encoding.ts";
import { compressed } from "./compress.ts";
import { listenTo, siteHttp, throughBothAdapters, type Site } from "../adapters.test.ts";
import { eventStream } from "./event-stream.ts";
import { html, json } from "./response.ts";
import { serveFile, staticFile } from "./static-files.ts";
import type { Result } from "../types.ts";

const PAGE = `<!doctype html>${"<p>café au lait</p>".repeat(200)}`;
const LARGE = Array.from({ length: 20_000 }, (_, at) => `<i>${at * 7919}</i>`).join("");
const FILE = staticFile(Buffer.from(PAGE), "text/html; charset=utf-8");

async function* pieces(): AsyncGenerator<string | Uint8Array> {
  yield "one ";
  yield "";
  yield Buffer.from("twö ");
  yield LARGE;
  yield "three";
}

const withHeaders = (...headers: string[]): Result => html(PAGE, 200, headers);

const SITE: Site = {
  compress: true,
  routes: {
    "GET /page": () => html(PAGE),
    "GET /large": () => html(LARGE),
    "GET /bytes": () => ({ status: 200, headers: ["Content-Type", "image/svg+xml"], body: Buffer.from(PAGE) }),
    "GET /json": () => json({ list: PAGE }),
    "GET /small": () => html("<p>small</p>"),
    "GET /png": () => ({ status: 200, headers: ["content-type", "image/png"], body: PAGE }),
    "GET /untyped": () => ({ status: 200, headers: [], body: PAGE }),
    "GET /encoded": () => withHeaders("Content-Encoding", "zstd"),
    "GET /as-it-is": () => withHeaders("cache-control", "public, no-transform"),
    "GET /tagged": () => withHeaders("etag", '"v1"'),
    "GET /weak": () => withHeaders("etag", 'W/"v1"'),
    "GET /varied": () => withHeaders("vary", "cookie"),
    "GET /file": (ctx) => serveFile(ctx, FILE, "no-cache"),
    "GET /stream": () => ({ status: 200, headers: ["content-type", "text/html"], body: pieces() }),
    "GET /web": () => new Response(PAGE, { headers: { "content-type": "text/plain", "content-length": "3614" } }),
    "GET /broken": () => {
      throw new Error(PAGE);
    },
    "GET /events": (ctx) => {
      const events = (async function* () {
        yield { data: PAGE };
      })();
      return eventStream(events, { clock: new SimulatedClock(), signal: ctx.signal });
    },
  },
};

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
};

throughBothAdapters("compression", SITE, (send) => {
  const ask = (target: string, accept?: string, method = "GET") =>
    send(target, { method, headers: accept === undefined ? {} : { "accept-encoding": accept } });

  it("uses the client's preferred encoding, and preserves every byte", async () => {
    for (const [target, whole] of [
      ["/page", PAGE],
      ["/large", LARGE],
      ["/bytes", PAGE],
      ["/json", JSON.stringify({ list: PAGE })],
      ["/stream", `one twö ${LARGE}three`],
      ["/web", PAGE],
    ] as const) {
      for (const encoding of ["br", "gzip"]) {
        const reply = await ask(target, encoding);
        assert.equal(reply.headers["content-encoding"], encoding, target);
        assert.equal(DECODERS[encoding]?.(reply.bytes).toString(), whole, `${target} ${encoding}`);
        assert.ok(reply.bytes.length < whole.length / 2);
        assert.equal(reply.headers["vary"], "accept-encoding");
        const isStream = target === "/stream";
        assert.equal(reply.headers["content-length"], isStream ? undefined : String(reply.bytes.length), target);
      }
    }
  });

  it("is skipped for clients without it, and marks the response as varying for caches", async () => {
    for (const accept of [undefined, "", "identity", "br;q=0, gzip;q=0", "zstd"]) {
      const reply = await ask("/page", accept);
      assert.deepEqual([reply.text, reply.headers["content-encoding"]], [PAGE, undefined], accept);
      assert.equal(reply.headers["vary"], "accept-encoding");
    }
  });

  it("is skipped for small, packed, encoded, ranged and no-transform responses", async () => {
    for (const target of ["/small", "/png", "/untyped", "/encoded", "/as-it-is", "/file", "/events"]) {
      const [plain, reply] = [await ask(target), await ask(target, "br, gzip")];
      assert.deepEqual(reply.bytes, plain.bytes, target);
      assert.equal(reply.headers["content-encoding"], target === "/encoded" ? "zstd" : undefined, target);
    }
  });

  it("makes a strong tag weak, and extends the Vary header", async () => {
    assert.equal((await ask("/tagged", "br")).headers["etag"], 'W/"v1"');
    assert.equal((await ask("/tagged")).headers["etag"], '"v1"');
    assert.equal((await ask("/weak", "br")).headers["etag"], 'W/"v1"');
    const { vary = "" } = (await ask("/varied", "br")).headers;
    assert.deepEqual(vary.split(", ").toSorted(), ["accept-encoding", "cookie"]);
  });

  it("answers HEAD with the headers of GET", async () => {
    const [got, headed] = [await ask("/page", "br"), await ask("/page", "br", "HEAD")];
    assert.equal(headed.text, "");
    for (const name of ["content-encoding", "content-length", "vary"])
      assert.equal(headed.headers[name], got.headers[name]);
    const stream = await ask("/stream", "gzip", "HEAD");
    assert.deepEqual([stream.text, stream.headers["content-encoding"]], ["", "gzip"]);
  });

  it("leaves errors uncompressed, because they are small", async () => {
    const reply = await ask("/broken", "br");
    assert.deepEqual([reply.status, reply.headers["content-encoding"]], [500, undefined]);
  });
});

describe("a compressed stream", () => {
  for (const [encoding, decoder] of [
    ["br", createBrotliDecompress],
    ["gzip", createGunzip],
  ] as const) {
    it(`sends each chunk before the next is created (${encoding})`, async (test) => {
      let next = (): void => undefined;
      const asked: string[] = [];
      const held = async function* (): AsyncGenerator<string> {
        for (const part of ["first", "second", "third"]) {
          asked.push(part);
          yield part;
          await new Promise<void>((resolve) => (next = resolve));
        }
      };
      const site = { status: 200, headers: ["content-type", "text/html"], body: held() };
      const server = await listenTo(siteHttp({ compress: true, routes: { "GET /": () => site } }));
      test.after(() => server.close(0));
      const reply = await new Promise<IncomingMessage>((resolve) =>
        get(server.url, { agent: false, headers: { "accept-encoding": encoding } }, resolve),
      );
      const decoded = reply.pipe(decoder());
      for (const part of ["first", "second", "third"]) {
        const [bytes] = (await once(decoded, "data")) as [Buffer];
        assert.equal(bytes.toString(), part);
        assert.equal(asked.at(-1), part, "and nothing more had been made");
        next();
      }
      await once(decoded, "end");
    });
  }

  it("is aborted if its source fails", async (test) => {
    let breakNow = (): void => undefined;
    const half = new Promise<void>((resolve) => (breakNow = resolve));
    const broken = async function* (): AsyncGenerator<string> {
      yield "half";
      await half;
      throw new Error("the source broke");
    };
    const http = siteHttp({
      compress: true,
      routes: { "GET /": () => ({ status: 200, headers: ["content-type", "text/html"], body: broken() }) },
    });
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await new Promise<IncomingMessage>((resolve) =>
      get(server.url, { agent: false, headers: { "accept-encoding": "br" } }, resolve),
    );
    reply.once("data", breakNow);
    const [error] = (await once(reply, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    assert.deepEqual(http.faults.map(String), ["Error: the source broke"]);
  });

  it("ends its source when its reader stops, even while the source waits", async () => {
    let isEnded = false;
    const silent: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          isEnded = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const answer = await compressed(
      { header: () => "br" },
      { status: 200, headers: ["content-type", "text/html"], body: silent },
    );
    const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    void chunks.next();
    await chunks.return?.();
    assert.equal(isEnded, true);
  });

  for (const last of ["a piece", "the end"]) {
    it(`resolves its reader's pending read if the reader stops and ${last} comes later`, async () => {
      let come = (): void => undefined;
      const late = new Promise<void>((resolve) => (come = resolve));
      const source = async function* (): AsyncGenerator<string> {
        yield "first";
        await late;
        if (last === "a piece") yield "second";
      };
      const answer = await compressed(
        { header: () => "br" },
        { status: 200, headers: ["content-type", "text/html"], body: source() },
      );
      const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await chunks.next();
      const awaited = chunks.next();
      void chunks.return?.();
      // The compressor emits its close event in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      come();
      assert.deepEqual(await awaited, { done: true, value: undefined });
    });
  }

  it("is limited to 200 at a time; further streams are sent uncompressed", async () => {
    const open = async (): Promise<{ isPlain: boolean; end: () => Promise<unknown> }> => {
      const body = (async function* () {
        yield "first";
      })();
      const answer = await compressed(
        { header: () => "gzip" },
        { status: 200, headers: ["content-type", "text/html"], body },
      );
      const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      return { isPlain: !answer.headers.includes("content-encoding"), end: async () => chunks.return?.() };
    };
    // The streams of other tests have ended, and report it in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    const held = [];
    for (let count = 0; count < 210; count++) held.push(await open());
    assert.equal(held.filter(({ isPlain }) => isPlain).length, 10);
    for (const { end } of held) await end();
    const isPlainAgain = async (): Promise<boolean> => {
      const { isPlain, end } = await open();
      await end();
      return isPlain;
    };
    while (await isPlainAgain()) await new Promise((resolve) => setImmediate(resolve));
  });

  it("reads nothing from its source before it is read", async () => {
    let taken = 0;
    const source = (async function* () {
      for (;;) {
        taken++;
        yield "x".repeat(10_000);
      }
    })();
    const answer = await compressed(
      { header: () => "gzip" },
      { status: 200, headers: ["content-type", "text/html"], body: source },
    );
    const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    for (let at = 1; at <= 3; at++) {
      await chunks.next();
      assert.equal(taken, at);
    }
    await chunks.return?.();
  });
});

describe("the choice of an encoding", () => {
  it("follows the client's preference, else brotli, else no compression", () => {
    const both = { br: true, gzip: true };
    for (const [header, choice] of [
      ["br, gzip", "br"],
      ["gzip, deflate, br, zstd", "br"],
      ["gzip;q=1.0, br;q=0.9", "gzip"],
      ["*", "br"],
      ["br;q=0, *;q=0.1", "gzip"],
      ["identity;q=0", undefined],
      ["gzip;q=0.000", undefined],
      ["gzip;q=nonsense", "gzip"],
      ["", undefined],
    ] as const)
      assert.equal(chooseEncoding(header, both), choice, header);
    assert.equal(chooseEncoding(`${"x, ".repeat(31)}br`, both), "br");
    assert.equal(chooseEncoding(`${"x, ".repeat(32)}br`, both), undefined, "nobody has so many");
    assert.equal(chooseEncoding("br, gzip;q=0.1", { br: false, gzip: true }), "gzip");
    assert.equal(chooseEncoding("identity;q=0", { br: false, gzip: false }), undefined);
  });
});
