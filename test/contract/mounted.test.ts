/** An app inside another framework: who answers what, bodies that were read on the way, errors, streams. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, describe, it } from "node:test";
import express, { type NextFunction, type Request, type Response } from "express";
import { createApp, json, page, route } from "svckit";
import { recordLog } from "svckit/testing";
import { createFixture } from "./app.ts";
import { FOREIGN_DOORS, serve, type Door } from "./every-door.ts";

/** How many chunks of 64 KiB were made for the reader of `/endless`, and whether it was ended. */
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
    env: { SVC_DATABASE_URL: "memory:", NODE_ENV: "test", SVC_TRUST_PROXY: "10.0.0.0/8", SVC_SECRET: "s".repeat(32) },
  },
);
const { app } = fixture;
after(() => fixture.close());

/** An Express site with the app behind `before`. */
async function expressWith(before: express.RequestHandler): Promise<Door> {
  await app.boot();
  const site = express();
  site.use(before);
  site.use(app.handler);
  return serve(createServer(site));
}

for (const [name, open] of Object.entries(FOREIGN_DOORS)) {
  describe(`an app mounted in ${name}`, () => {
    it("leaves their routes to them, answers its own, and what nobody has is answered once", async (test) => {
      const door = await open(app, "");
      test.after(() => door.close());
      assert.equal((await door.ask("/theirs")).bytes.toString(), "theirs");
      assert.match((await door.ask("/")).bytes.toString(), /start/);
      assert.equal((await door.ask("/nothing")).status, 404);
      assert.equal((await door.ask("/_svc/nothing")).headers["content-type"]?.[0], "application/problem+json");
    });

    it("gets bodies whole", async (test) => {
      const door = await open(app, "");
      test.after(() => door.close());
      for (const target of ["/echo", "/web"]) {
        const reported = await door.ask(target, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"a": 1}',
        });
        assert.deepEqual(JSON.parse(reported.bytes.toString()), { text: '{"a": 1}' });
      }
    });

    it("writes streams no faster than they are read, and ends them when the reader leaves", async (test) => {
      const door = await open(app, "");
      test.after(() => door.close());
      made.chunks = 0;
      const ended = new Promise<void>((resolve) => (made.onEnd = resolve));
      const leave = await door.readBeginning("/endless");
      await settled();
      assert.ok(made.chunks < 400, `${made.chunks} chunks were made for a reader that stopped`);
      await leave();
      await ended;
    });
  });
}

/** Waits until nothing more is made. */
async function settled(): Promise<void> {
  for (let before = -1; before !== made.chunks;) {
    before = made.chunks;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a body that the framework around has read", () => {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{ "a": 1 }' };

  it("is taken where it was kept as bytes or text", async (test) => {
    for (const parser of [express.raw({ type: "*/*" }), express.text({ type: "*/*" })]) {
      const door = await expressWith(parser);
      test.after(() => door.close());
      for (const target of ["/echo", "/web"])
        assert.deepEqual(JSON.parse((await door.ask(target, post)).bytes.toString()), { text: '{ "a": 1 }' });
      const large = await door.ask("/echo", { ...post, body: "x".repeat(101) });
      assert.equal(large.status, 413);
    }
  });

  it("and parsed is an error that says what to change, to the operator", async (test) => {
    const door = await expressWith(express.json());
    test.after(() => door.close());
    const reported = await door.ask("/echo", post);
    assert.equal(reported.status, 500);
    assert.match(fixture.logged.join("\n"), /Mount app\.handler before the middleware that parses bodies/);
  });
});

describe("an app that can't boot", () => {
  const broken = () => createApp({ env: { PORT: "nonsense" }, log: recordLog() });

  it("passes the error to the error handler of Express", async (test) => {
    const site = express();
    site.use(broken().handler);
    // Express knows an error handler by its four parameters.
    site.use((error: Error, _message: Request, reply: Response, _next: NextFunction) => {
      reply.status(599).send(error.message);
    });
    const door = await serve(createServer(site));
    test.after(() => door.close());
    const reported = await door.ask("/");
    assert.equal(reported.status, 599);
    assert.match(reported.bytes.toString(), /PORT/);
  });

  it("answers 503 by itself, and tells nothing", async (test) => {
    const door = await serve(createServer(broken().handler));
    test.after(() => door.close());
    const reported = await door.ask("/");
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

  it("comes from the address that the caller of fetch tells, whose word counts where it is a trusted proxy", async () => {
    assert.deepEqual(await who("10.1.2.3"), { ip: "203.0.113.9", secure: true, url: "https://shop.example/who" });
    assert.deepEqual(await who("198.51.100.7"), { ip: "198.51.100.7", secure: false, url: "http://inner/who" });
  });

  it("of no known address is believed nothing", async () => {
    assert.deepEqual(await who(), { ip: "127.0.0.1", secure: false, url: "http://inner/who" });
  });
});
