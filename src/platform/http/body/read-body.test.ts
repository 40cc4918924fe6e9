import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { connect } from "node:net";
import { sendRaw } from "../../../testing/send-raw.ts";
import { foreignCharset, mediaType, readJson } from "./read-body.ts";
import { listenTo, sendOverSocket, siteHttp, throughBothAdapters, type Site } from "../adapters.test.ts";
import { json, text } from "../response/response.ts";
import type { Listening } from "../server.ts";

const LIMIT = 1000;

const SITE: Site = {
  routes: {
    "POST /json": async (ctx) => json({ got: await readJson(ctx, LIMIT) }),
    "POST /bytes": async (ctx) => text(String((await ctx.bytes(LIMIT)).byteLength)),
    "POST /text": async (ctx) => text(await ctx.text(LIMIT)),
    "POST /twice": async (ctx) => {
      await ctx.bytes(LIMIT);
      return text(await ctx.text(LIMIT));
    },
    "POST /web": async (ctx) => text(await ctx.request.text()),
    "POST /web-then-bytes": async (ctx) => {
      await ctx.request.text();
      return text(await ctx.text(LIMIT));
    },
    "POST /look-then-text": async (ctx) => text(`${ctx.request.headers.get("x-a")} ${await ctx.text(LIMIT)}`),
    "POST /unread": () => text("not even looked at"),
    "GET /bytes": async (ctx) => text(String((await ctx.bytes(LIMIT)).byteLength)),
  },
};

const codeOf = (body: string): unknown => (JSON.parse(body) as { code: unknown }).code;
const JSON_HEADERS = { "content-type": "application/json" };

throughBothAdapters("JSON bodies", SITE, (send) => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_HEADERS) =>
    send("/json", { method: "POST", headers, body });

  it("are read with any spelling of their type", async () => {
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF8"',
    ]) {
      const reply = await post('{"a":["é",1]}', { "content-type": type });
      assert.deepEqual([reply.status, reply.text], [200, '{"got":{"a":["é",1]}}'], type);
    }
  });

  it("of another type, or without one, are refused with 415", async () => {
    const types = [
      "text/plain",
      "text/json",
      "application/json, text/plain",
      "application/jsonx",
      "json",
      "multipart/form-data",
    ];
    for (const type of types) {
      const reply = await post("{}", { "content-type": type });
      assert.deepEqual([reply.status, codeOf(reply.text)], [415, "SVC_CONTENT_TYPE"], type);
    }
    assert.equal((await post(new Uint8Array([123, 125]), {})).status, 415);
  });

  it("that are compressed are refused with 415, because they could expand to any size", async () => {
    const reply = await post("{}", { ...JSON_HEADERS, "content-encoding": "gzip" });
    assert.deepEqual([reply.status, codeOf(reply.text)], [415, "SVC_CONTENT_TYPE"]);
    assert.equal((await post("{}", { ...JSON_HEADERS, "content-encoding": "identity" })).status, 200);
  });

  it("that are malformed are refused with 422 and the reason", async () => {
    const deep = "[".repeat(33) + "]".repeat(33);
    for (const body of [
      "",
      "{",
      "{'a':1}",
      "[1,]",
      "nope",
      '{"a":1}{',
      deep,
      '{"__proto__":1}',
      '[{"constructor":{}}]',
    ]) {
      const reply = await post(body);
      assert.deepEqual([reply.status, codeOf(reply.text)], [422, "SVC_INVALID"], body);
    }
    assert.equal((await post("[".repeat(32) + "]".repeat(32))).status, 200);
  });

  it("that are not UTF-8, or declare another charset, are refused with 422", async () => {
    assert.equal((await post(new Uint8Array([0x22, 0xff, 0x22]))).status, 422);
    assert.equal((await post(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).status, 422);
    assert.equal((await post("{}", { "content-type": "application/json; charset=latin1" })).status, 422);
  });

  it("over the limit are refused with 413", async () => {
    const fits = JSON.stringify("a".repeat(LIMIT - 2));
    assert.equal((await post(fits)).status, 200);
    const reply = await post(`${fits} `);
    assert.deepEqual([reply.status, codeOf(reply.text)], [413, "SVC_TOO_LARGE"]);
  });
});

throughBothAdapters("bodies", SITE, (send, http) => {
  it("have a limit in bytes", async () => {
    const post = (body: string) => send("/bytes", { method: "POST", body });
    assert.equal((await post("é".repeat(LIMIT / 2))).text, String(LIMIT));
    assert.equal((await post("é".repeat(LIMIT / 2 + 1))).status, 413);
    assert.equal((await send("/bytes")).text, "0");
  });

  it("can be read once; a second read throws", async () => {
    for (const target of ["/twice", "/web-then-bytes"]) {
      http.faults.length = 0;
      const reply = await send(target, { method: "POST", body: "some" });
      assert.equal(reply.status, 500, target);
      assert.match(String(http.faults[0]), /The body was read already/);
    }
  });

  it("can be read from the web request, and by the context after access to its headers", async () => {
    assert.equal((await send("/web", { method: "POST", body: "caf\u00e9" })).text, "café");
    const init = { method: "POST", body: "body", headers: { "x-a": "head" } };
    assert.equal((await send("/look-then-text", init)).text, "head body");
  });

  it("may stay unread", async () => {
    const body = "a".repeat(100_000);
    assert.equal((await send("/unread", { method: "POST", body })).text, "not even looked at");
    assert.equal((await send("/nothing", { method: "POST", body })).status, 404);
  });
});

describe("bodies over a socket", () => {
  const http = siteHttp(SITE);
  let server: Listening;
  before(async () => void (server = await listenTo(http)));
  after(() => server.close(0));

  it("with an announced length above the limit are refused unread", async () => {
    const head = "POST /json HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
    const answer = await sendRaw(server.port, `${head}content-length: 1000000000\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i);
  });

  it("in endless chunks are refused at the limit", async () => {
    const head = "POST /bytes HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
    const answer = await sendRaw(server.port, head + `1f4\r\n${"a".repeat(500)}\r\n`.repeat(3));
    assert.match(answer, /^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i);
  });

  it("get 100 Continue only when the handler reads them (Expect: 100-continue)", async () => {
    const head = (target: string, length: number) =>
      `POST ${target} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
    assert.match(await sendRaw(server.port, head("/unread", 500)), /^HTTP\/1\.1 200 /);
    assert.match(
      await sendRaw(server.port, `${head("/text", 4)}body`),
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*body$/,
    );
  });

  it("of a client that disconnects reject the read, before or after it starts", async (test) => {
    for (const isLate of [false, true]) {
      let onStart = (): void => undefined;
      let onEnd: (error: unknown) => void;
      const started = new Promise<void>((resolve) => (onStart = resolve));
      const ended = new Promise<unknown>((resolve) => (onEnd = resolve));
      const left = siteHttp({
        routes: {
          "POST /": async (ctx) => {
            const leaving = new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
            onStart();
            if (isLate) await leaving;
            await ctx.bytes(LIMIT).catch((error: unknown) => onEnd(error));
            return text("nobody hears this");
          },
        },
      });
      const listening = await listenTo(left);
      test.after(() => listening.close(0));
      const socket = connect(listening.port, "127.0.0.1");
      socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nsome");
      await started;
      socket.destroy();
      assert.equal(((await ended) as { code?: unknown }).code, "SVC_BAD_REQUEST");
      await listening.close(1000);
      assert.deepEqual(left.faults, []);
    }
  });

  it("above the limit get their 413 while the client is still sending", async () => {
    const body = Buffer.alloc(8 * 1024 * 1024);
    for (let round = 0; round < 5; round++) {
      const reply = await sendOverSocket(server.port, "/json", { method: "POST", headers: JSON_HEADERS, body });
      assert.equal(reply.status, 413);
    }
  });
});

describe("content types", () => {
  it("are compared by type and subtype", () => {
    assert.equal(mediaType("text/HTML; charset=utf-8"), "text/html");
    assert.equal(mediaType(" application/vnd.api+json "), "application/vnd.api+json");
    for (const header of [undefined, "", "text", "text/", "/html", "text/html, text/plain", "text html"])
      assert.equal(mediaType(header), undefined, header);
  });

  it("report a charset other than UTF-8", () => {
    assert.equal(foreignCharset("text/plain; charset=ISO-8859-1"), "ISO-8859-1");
    for (const header of [undefined, "text/plain", "text/plain;charset=utf-8", 'text/plain; a=b; charset="UTF-8"'])
      assert.equal(foreignCharset(header), undefined, header);
  });
});
