import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { sendRaw } from "../../../testing/send-raw.ts";
import { listenTo, siteHttp, type Site } from "../adapters.test.ts";
import { replyClass } from "./server-response.ts";
import type { Result } from "../types.ts";

const KEEP_ALIVE_MS = 65_000;
const answer =
  (body: Result["body"], status = 200, ...headers: string[]) =>
  (): Result => ({ status, headers, body });

const ROUTES: Site["routes"] = {
  "GET /text": answer("text", 200, "content-type", "text/plain", "x-tab", "a\tb"),
  "GET /text-again": answer("text", 200, "content-type", "text/plain", "vary", "accept"),
  "GET /other-text": answer("text", 200, "content-type", "text/csv", "vary", "cookie"),
  "GET /umlauts": answer("grüße", 201),
  "GET /long": answer("ü".repeat(3000)),
  "GET /bytes": answer(Uint8Array.of(0, 255, 65)),
  "GET /empty": answer(""),
  "GET /nothing": answer(null),
  "GET /unknown-status": answer("odd", 299),
  "GET /none": answer(null, 204, "etag", '"a"'),
  "GET /reset": answer("not sent", 205),
  "GET /unchanged": answer(null, 304, "etag", '"a"'),
  "GET /latin": answer("ü", 200, "x-latin", "caf\xe9"),
  "GET /closing": answer("bye", 200, "connection", "close"),
  "GET /dated": answer("old", 200, "date", "Sun, 06 Nov 1994 08:49:37 GMT"),
  "GET /length": answer("1234", 200, "content-length", "9999"),
  "GET /attached": answer("file", 200, "content-disposition", 'attachment; filename="a"'),
  "GET /line": answer("never", 200, "x-line", "a\r\nx-injected: b"),
  "GET /kept-line": answer("never", 200, "vary", "a\r\nx-injected: b"),
  "GET /name": answer("never", 200, "x name", "a"),
  "GET /cookie": (ctx) => {
    ctx.setCookie("a", "1");
    ctx.setCookie("b", "2");
    return { status: 200, headers: [], body: "cookies" };
  },
  "POST /": async (ctx) => ({ status: 200, headers: [], body: await ctx.text(100) }),
  "GET /end": answer("end"),
};

const END = "GET /end HTTP/1.1\r\nhost: a\r\nx-request-id: end\r\nconnection: close\r\n\r\n";
const ask = (line: string, more = ""): string => `${line} HTTP/1.1\r\nhost: a\r\nx-request-id: one\r\n${more}\r\n`;

const ASKED = [
  ...Object.keys(ROUTES).filter((route) => route.startsWith("GET ")),
  "HEAD /text",
  "HEAD /nothing",
  "HEAD /length",
  "GET /lost",
].map((line) => ask(line));

const ODD = [
  "GET /text HTTP/1.0\r\nhost: a\r\nx-request-id: old\r\n\r\n",
  "GET /text HTTP/1.0\r\nhost: a\r\nx-request-id: old\r\nconnection: keep-alive\r\n\r\n",
  ask("GET /text", "connection: close\r\n"),
  ask("POST /", "expect: 100-continue\r\ncontent-length: 2\r\n") + "ab",
  ask("POST /", "content-length: 2\r\n") + "ab",
];

describe("the head of a response at svc's own server", () => {
  it("is stored as in this version of Node", () => {
    assert.ok(replyClass(KEEP_ALIVE_MS));
  });

  it("has the same lines as at a plain node:http server, for all responses and clients", async (test) => {
    const http = siteHttp({ routes: ROUTES });
    const own = await listenTo(http, { keepAlive: KEEP_ALIVE_MS });
    test.after(() => own.close(0));
    const theirs = createServer(
      { keepAliveTimeout: KEEP_ALIVE_MS },
      (message, reply) => void http.handler(message, reply),
    );
    theirs.on("checkContinue", (message, reply) => {
      reply.writeContinue();
      void http.handler(message, reply);
    });
    await once(theirs.listen(0, "127.0.0.1"), "listening");
    test.after(() => theirs.close());
    const { port } = theirs.address() as AddressInfo;
    for (const bytes of [...ASKED, ...ODD]) {
      const [mine, other] = await Promise.all([sendRaw(own.port, bytes + END), sendRaw(port, bytes + END)]);
      assert.deepEqual(linesOf(mine), linesOf(other), bytes);
      assert.match(mine, /^HTTP\/1\.1 \d{3} /);
    }
  });

  it("has no line that a value injects", async (test) => {
    const http = siteHttp({ routes: ROUTES });
    const own = await listenTo(http);
    test.after(() => own.close(0));
    const sent = await sendRaw(own.port, ask("GET /line") + END);
    assert.match(sent, /^HTTP\/1\.1 500 /);
    assert.doesNotMatch(sent, /x-injected/);
    assert.equal(http.faults.length, 1);
  });
});

/** Sorted lines without the date. */
function linesOf(answers: string): string[] {
  return answers
    .replace(/^Date: .*$/gm, "Date")
    .split("\r\n")
    .sort();
}

describe("long texts to clients of different speed", () => {
  it("are not overwritten while one of them is not read yet", async (test) => {
    const http = siteHttp({
      routes: {
        "GET /:letter": ({ params }) => ({ status: 200, headers: [], body: params["letter"]!.repeat(30_000) }),
      },
    });
    const own = await listenTo(http);
    test.after(() => own.close(0));
    const slow = connect(own.port, "127.0.0.1");
    test.after(() => slow.destroy());
    slow.pause();
    const COUNT = 400;
    // More than the system buffers for a connection, so that most of it stays in this process.
    slow.write(ask("GET /a").repeat(COUNT) + END);
    for (let count = 0; count < 20; count++) assert.match(await sendRaw(own.port, ask("GET /b") + END), /b{30000}/);
    const chunks: Buffer[] = [];
    slow.on("data", (chunk: Buffer) => chunks.push(chunk));
    slow.resume();
    await once(slow, "close");
    const bodies =
      Buffer.concat(chunks)
        .toString("latin1")
        .match(/[ab]{1000,}/g) ?? [];
    assert.deepEqual(new Set(bodies), new Set(["a".repeat(30_000)]));
    assert.equal(bodies.length, COUNT);
  });
});
