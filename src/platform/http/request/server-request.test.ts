import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { sendRaw } from "../../../testing/send-raw.ts";
import { RequestContext } from "./context.ts";
import { listenTo, siteHttp, type Site } from "../adapters.test.ts";
import { isPromise } from "../response/close-iterator.ts";
import { text } from "../response/response.ts";
import type { Context } from "../types.ts";

async function serve(test: TestContext, routes: Site["routes"]) {
  const server = await listenTo(siteHttp({ routes }));
  test.after(() => server.close(0));
  const open = (): Socket => {
    const socket = connect(server.port, "127.0.0.1");
    test.after(() => socket.destroy());
    return socket;
  };
  return { open, raw: (bytes: string) => sendRaw(server.port, bytes) };
}

const LAST = "connection: close\r\n";
const head = (length: number, more = ""): string =>
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n${more}\r\n`;
const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

async function answerOf(socket: Socket): Promise<string> {
  let whole = "";
  socket.on("data", (bytes) => (whole += bytes.toString("latin1")));
  await once(socket, "close");
  return whole;
}

/** The body that a handler gets, `at once` (synchronously) or `later`. */
async function howGiven(ctx: Context, limitBytes = 1000): Promise<string> {
  assert.ok(ctx instanceof RequestContext);
  const given = ctx.bytesNow(limitBytes);
  const length = (await given).byteLength;
  return `${isPromise(given) ? "later" : "at once"}: ${length}`;
}

describe("a body at svc's own server", () => {
  const echo = { "POST /": async (ctx: Context) => text(await howGiven(ctx)) };

  it("is available immediately if it arrives with the head", async (test) => {
    const { raw } = await serve(test, echo);
    assert.match(await raw(`${head(4, LAST)}abcd`), /\r\n\r\nat once: 4$/);
    assert.match(await raw(head(0, LAST)), /\r\n\r\nat once: 0$/);
  });

  it("is awaited if it arrives later, or has no announced length", async (test) => {
    const started = gate();
    const { open, raw } = await serve(test, {
      "POST /": (ctx) => {
        started.open();
        return howGiven(ctx).then((how) => text(how));
      },
    });
    const socket = open();
    const answer = answerOf(socket);
    socket.write(`${head(4, LAST)}ab`);
    await started.opened;
    socket.write("cd");
    assert.match(await answer, /\r\n\r\nlater: 4$/);
    const chunked = `POST / HTTP/1.1\r\nhost: a\r\n${LAST}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n`;
    assert.match(await raw(chunked), /: 4$/m);
  });

  it("is complete even if it is longer than the buffer", async (test) => {
    const [started, wanted] = [gate(), gate()];
    const { open } = await serve(test, {
      "POST /": async (ctx) => {
        started.open();
        await wanted.opened;
        return text(`${(await ctx.bytes(10_000_000)).byteLength}`);
      },
    });
    const socket = open();
    const answer = answerOf(socket);
    socket.write(`${head(3_000_000, LAST)}a`);
    await started.opened;
    socket.write("b".repeat(2_999_999));
    wanted.open();
    assert.match(await answer, /\r\n\r\n3000000$/);
  });

  it("can be read as a stream that includes the buffered start", async (test) => {
    const [started, wanted] = [gate(), gate()];
    const { open } = await serve(test, {
      "POST /": async (ctx) => {
        started.open();
        await wanted.opened;
        return text(await ctx.request.text());
      },
    });
    const socket = open();
    const answer = answerOf(socket);
    socket.write(`${head(6, LAST)}abc`);
    await started.opened;
    wanted.open();
    socket.write("def");
    assert.match(await answer, /\r\n\r\nabcdef$/);
  });

  it("can be read as a stream after it has arrived completely, and if it is empty", async (test) => {
    const { raw } = await serve(test, { "POST /": async (ctx) => text(`<${await ctx.request.text()}>`) });
    assert.match(await raw(`${head(3)}abc${head(0, LAST)}`), /<abc>[^]*<>/);
  });

  it("does not affect the next request if nobody reads it", async (test) => {
    const { raw } = await serve(test, { "POST /": () => text("unread") });
    const answers = await raw(`${head(3)}abc${head(0)}${head(3, LAST)}abc`);
    assert.deepEqual(statuses(answers), [200, 200, 200]);
  });

  it("is refused if it is too long, before or after it has arrived", async (test) => {
    const { open, raw } = await serve(test, { "POST /": async (ctx) => text(await howGiven(ctx, 3)) });
    assert.deepEqual(statuses(await raw(`${head(4, LAST)}abcd`)), [413]);
    const socket = open();
    const answer = answerOf(socket);
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n");
    socket.write("2\r\ncd\r\n");
    assert.deepEqual(statuses(await answer), [413]);
  });

  it("that is truncated rejects the pending read", async (test) => {
    const [started, failed] = [gate(), gate()];
    const { open } = await serve(test, {
      "POST /": async (ctx) => {
        started.open();
        await assert.rejects(ctx.bytes(100), { code: "SVC_BAD_REQUEST" });
        failed.open();
        return text("nobody reads this");
      },
    });
    const socket = open();
    socket.write(`${head(4)}ab`);
    await started.opened;
    socket.destroy();
    await failed.opened;
  });

  it("that is malformed is refused without calling a handler", async (test) => {
    let calls = 0;
    const { raw } = await serve(test, {
      "POST /": async (ctx) => {
        const body = await ctx.text(100);
        calls++;
        return text(body);
      },
    });
    const answers = await raw("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n");
    assert.deepEqual([statuses(answers), calls], [[400], 0]);
  });
});
