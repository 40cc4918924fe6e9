/** An app inside another framework: routing, bodies that the framework has read, errors and streams. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, describe, it } from "node:test";
import express, { type NextFunction, type Request, type Response } from "express";
import { createApp, json, page, route } from "svckit";
import { recordLog } from "svckit/testing";
import { createFixture } from "./app.ts";
import { FRAMEWORK_ADAPTERS, serve, type Adapter } from "./every-adapter.ts";

/** The number of 64 KiB chunks produced for the reader of `/endless`, and a callback for the end of the stream. */
const made = { chunks: 0, onEnd: (): void => undefined };

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      made.chunks++;
      yield new Uint8Array(65_536);
    }
  } finally {
    made.onEnd();
  }
}

const fixture = createFixture(
  {},
  {
    pages: [page("/", { title: "Start", view: () => "start" })],
    routes: [
      route("POST", "/echo", async (ctx) => json({ text: await ctx.text(100) }), { csrf: false }),
      route("POST", "/web", async (ctx) => json({ text: await ctx.request.text() }), { csrf: false }),
      route("GET", "/endless", () => ({ status: 200, headers: ["content-type", "video/mp4"], body: endless() })),
      route("GET", "/who", (ctx) => json({ ip: ctx.clientIp, secure: ctx.secure, url: ctx.url.href })),
    ],
    env: {
      SVC_DATABASE_URL: "memory:",
      NODE_ENV: "test",
      SVC_TRUST_PROXY: "10.0.0.0/8",
      SVC_SECRET: "s".repeat(32),
      SVC_ALLOWED_HOSTS: "inner,shop.example",
    },
  },
);
const { app } = fixture;
after(() => fixture.close());

/** An Express site with the app behind `before`. */
async function expressWith(before: express.RequestHandler): Promise<Adapter> {
  await app.boot();
  const site = express();
  site.use(before);
  site.use(app.handler);
  return serve(createServer(site));
}

for (const [name, open] of Object.entries(FRAMEWORK_ADAPTERS)) {
  describe(`an app mounted in ${name}`, () => {
    it("leaves the framework's routes alone, answers its own, and each unknown path gets one response", async (test) => {
      const adapter = await open(app, "");
      test.after(() => adapter.close());
      assert.equal((await adapter.ask("/theirs")).bytes.toString(), "theirs");
      assert.match((await adapter.ask("/")).bytes.toString(), /start/);
      assert.equal((await adapter.ask("/nothing")).status, 404);
      assert.equal((await adapter.ask("/_svc/nothing")).headers["content-type"]?.[0], "application/problem+json");
    });

    it("receives complete bodies", async (test) => {
      const adapter = await open(app, "");
      test.after(() => adapter.close());
      for (const target of ["/echo", "/web"]) {
        const reported = await adapter.ask(target, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"a": 1}',
        });
        assert.deepEqual(JSON.parse(reported.bytes.toString()), { text: '{"a": 1}' });
      }
    });

    it("writes streams no faster than they are read, and ends them when the reader leaves", async (test) => {
      const adapter = await open(app, "");
      test.after(() => adapter.close());
      made.chunks = 0;
      const ended = new Promise<void>((resolve) => (made.onEnd = resolve));
      const leave = await adapter.readBeginning("/endless");
      await settled();
      assert.ok(made.chunks < 400, `${made.chunks} chunks were made for a reader that stopped`);
      await leave();
      await ended;
    });
  });
}

/** Waits until no more chunks are produced. */
async function settled(): Promise<void> {
  for (let before = -1; before !== made.chunks;) {
    before = made.chunks;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a body that the outer framework has read", () => {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{ "a": 1 }' };

  it("is accepted if it was kept as bytes or text", async (test) => {
    for (const parser of [express.raw({ type: "*/*" }), express.text({ type: "*/*" })]) {
      const adapter = await expressWith(parser);
      test.after(() => adapter.close());
      for (const target of ["/echo", "/web"])
        assert.deepEqual(JSON.parse((await adapter.ask(target, post)).bytes.toString()), { text: '{ "a": 1 }' });
      const large = await adapter.ask("/echo", { ...post, body: "x".repeat(101) });
      assert.equal(large.status, 413);
    }
  });

  it("causes a 500 if it was parsed, and the log says what to change", async (test) => {
    const adapter = await expressWith(express.json());
    test.after(() => adapter.close());
    const reported = await adapter.ask("/echo", post);
    assert.equal(reported.status, 500);
    assert.match(fixture.logged.join("\n"), /Mount app\.handler before the middleware that parses bodies/);
  });
});

describe("an app that can't boot", () => {
  const broken = () => createApp({ env: { PORT: "nonsense" }, log: recordLog() });

  it("passes the error to the error handler of Express", async (test) => {
    const site = express();
    site.use(broken().handler);
    // Express recognizes an error handler by its four parameters.
    site.use((error: Error, _message: Request, reply: Response, _next: NextFunction) => {
      reply.status(599).send(error.message);
    });
    const adapter = await serve(createServer(site));
    test.after(() => adapter.close());
    const reported = await adapter.ask("/");
    assert.equal(reported.status, 599);
    assert.match(reported.bytes.toString(), /PORT/);
  });

  it("answers 503 on its own, without details", async (test) => {
    const adapter = await serve(createServer(broken().handler));
    test.after(() => adapter.close());
    const reported = await adapter.ask("/");
    assert.deepEqual([reported.status, reported.bytes.toString()], [503, ""]);
  });
});

describe("a web request", () => {
  const forwarded = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "shop.example",
  };
  const who = async (peerAddress?: string) => {
    const asked = new globalThis.Request("http://inner/who", { headers: forwarded });
    const response = await app.fetch(asked, peerAddress === undefined ? undefined : { peerAddress });
    return (await response.json()) as unknown;
  };

  it("has the peer address that the caller of fetch passes, whose forwarded headers count if it is a trusted proxy", async () => {
    assert.deepEqual(await who("10.1.2.3"), { ip: "203.0.113.9", secure: true, url: "https://shop.example/who" });
    assert.deepEqual(await who("198.51.100.7"), { ip: "198.51.100.7", secure: false, url: "http://inner/who" });
  });

  it("without a peer address has no trusted headers", async () => {
    assert.deepEqual(await who(), { ip: "127.0.0.1", secure: false, url: "http://inner/who" });
  });
});
