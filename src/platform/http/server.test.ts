import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import { sendRaw } from "../../testing/send-raw.ts";
import { listenTo, sendOverSocket, siteHttp, type Site } from "./adapters.test.ts";
import { REPLY, type Answering } from "./response/server-response.ts";
import { json, text } from "./response/response.ts";
import { listen, type Listening } from "./server.ts";

const SITE: Site = { routes: { "GET /": () => text("ok"), "POST /": async (ctx) => text(await ctx.text(100)) } };

async function serve(test: TestContext, site: Site) {
  const http = siteHttp(site);
  const server = await listenTo(http);
  test.after(() => server.close(0));
  return { http, server };
}

/** Status, headers and body of the response to raw bytes; every response must have the added headers. */
function reported(answer: string): { status: number; code: unknown; head: string } {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  const { code } = JSON.parse(body === "" ? "{}" : body) as { code?: unknown };
  assert.match(head, /\r\nx-finished: yes/, answer);
  return { status: Number(head.split(" ")[1]), code, head };
}

describe("a listening server refuses", () => {
  const http = siteHttp(SITE);
  let server: Listening;
  before(async () => void (server = await listenTo(http)));
  after(() => server.close(0));
  const ask = async (head: string) => reported(await sendRaw(server.port, `${head}\r\nconnection: close\r\n\r\n`));

  it("two Host headers, two content types, a missing and an invalid host with 400", async () => {
    const heads = [
      "GET / HTTP/1.1\r\nhost: a\r\nhost: b",
      "GET / HTTP/1.1\r\nhost: a\r\nHost: a",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-type: application/json\r\ncontent-length: 0",
      "GET / HTTP/1.1\r\nx-no: host",
      "GET / HTTP/1.1\r\nhost: a/b",
      "GET / HTTP/1.1\r\nhost: user@a",
      "GET / HTTP/1.1\r\nhost:",
    ];
    for (const head of heads) {
      const { status, code } = await ask(head);
      assert.deepEqual([status, code], [400, "SVC_BAD_REQUEST"], head);
    }
    assert.match(await sendRaw(server.port, "GET / HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
  });

  it("absolute-form, //host, dot segments, fragments and raw bytes in the target with 400", async () => {
    const targets = [
      "http://evil.test/",
      "//evil.test/",
      "/a/../b",
      "/./a",
      "/%2e%2e/a",
      "/a%00",
      "/a#b",
      "/caf\xe9",
      "*",
    ];
    for (const target of targets) {
      const { status, code } = await ask(`GET ${target} HTTP/1.1\r\nhost: a`);
      assert.deepEqual([status, code], [400, "SVC_BAD_REQUEST"], target);
    }
  });

  it("bytes that are not HTTP, and ambiguous HTTP, with 400", async () => {
    const smuggled = "content-length: 5\r\ntransfer-encoding: chunked";
    const heads = [
      "nonsense",
      "GET / HTTP/9.9\r\nhost: a",
      "FROB / HTTP/1.1\r\nhost: a",
      `POST / HTTP/1.1\r\nhost: a\r\n${smuggled}`,
    ];
    heads.push(
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2",
      "GET / HTTP/1.1\r\nhost: a\r\nbad header: x",
    );
    for (const head of heads) {
      const { status, code } = await ask(head);
      assert.deepEqual([status, code], [400, "SVC_BAD_REQUEST"], head);
    }
  });

  it("too many or too long headers with 431", async () => {
    const many = Array.from({ length: 101 }, (_, at) => `x-${at}: 1`).join("\r\n");
    for (const headers of [many, `x-long: ${"a".repeat(20_000)}`]) {
      const { status, code } = await ask(`GET / HTTP/1.1\r\nhost: a\r\n${headers}`);
      assert.deepEqual([status, code], [431, "SVC_HEADERS_TOO_LARGE"]);
    }
  });

  it("a URL over 8 KiB with 414", async () => {
    const { status, code } = await ask(`GET /${"a".repeat(8192)} HTTP/1.1\r\nhost: a`);
    assert.deepEqual([status, code], [414, "SVC_URL_TOO_LONG"]);
  });

  it("TRACE and CONNECT with 405 and the allowed methods", async () => {
    for (const head of ["TRACE / HTTP/1.1\r\nhost: a", "CONNECT a:443 HTTP/1.1\r\nhost: a:443"]) {
      const { status, code, head: headers } = await ask(head);
      assert.deepEqual([status, code], [405, "SVC_METHOD"], head);
      assert.match(headers, /\r\nallow: GET, HEAD, POST/i);
    }
  });

  it("a malformed body with 400, and rejects the pending read", async () => {
    const { status } = await ask("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz");
    assert.equal(status, 400);
  });

  it("such requests without affecting the next one", async () => {
    assert.equal((await sendOverSocket(server.port, "/")).text, "ok");
    assert.deepEqual(http.faults, []);
  });
});

describe("a listening server", () => {
  it("answers several requests on one connection in order", async (test) => {
    const { server } = await serve(test, { routes: { "GET /:n": (ctx) => text(`<${ctx.params["n"]}>`) } });
    const ask = (n: number, more = ""): string => `GET /${n} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
    const answer = await sendRaw(server.port, ask(1) + ask(2) + ask(3, "connection: close\r\n"));
    assert.deepEqual(answer.match(/<\d>/g), ["<1>", "<2>", "<3>"]);
  });

  it("retains no request or response of an idle connection", { timeout: 60_000 }, async (test) => {
    const http = siteHttp(SITE);
    const sockets: (Socket & Answering)[] = [];
    const server = await listen(
      (message, reply) => {
        const socket: Socket & Answering = message.socket;
        sockets.push(socket);
        assert.equal(socket[REPLY], reply);
        return http.handler(message, reply);
      },
      { host: "127.0.0.1", port: 0, canFallBack: false },
      assert.ifError,
    );
    test.after(() => server.close(0));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    test.after(() => agent.destroy());
    for (let at = 0; at < 2; at++) {
      const asked = get({ port: server.port, agent });
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      await once(answer.resume(), "close");
    }
    assert.equal(new Set(sockets).size, 1);
    // The client may have read the response before the server sees that it was sent.
    while (sockets[0]?.[REPLY] !== null) await new Promise(setImmediate);
    assert.equal(sockets[0].destroyed, false);
  });

  it("has no headers by names of prototype properties", async (test) => {
    const { server } = await serve(test, {
      routes: {
        "GET /": (ctx) => json(["constructor", "__proto__", "toString"].map((name) => ctx.header(name) ?? null)),
      },
    });
    assert.equal((await sendOverSocket(server.port, "/")).text, "[null,null,null]");
  });

  it("reports a taken port with a fix, or tries the next one if allowed", async (test) => {
    const { http, server } = await serve(test, SITE);
    const where = { host: "127.0.0.1", port: server.port };
    const onFault = (): void => undefined;
    await assert.rejects(listen(http.handler, { ...where, canFallBack: false }, onFault), {
      code: "SVC_CONFIG",
      message: new RegExp(`Port ${server.port} .* is taken. Set PORT`),
    });
    const next = await listen(http.handler, { ...where, canFallBack: true }, onFault);
    test.after(() => next.close(0));
    assert.ok(next.port > server.port);
    assert.equal((await sendOverSocket(next.port, "/")).text, "ok");
  });

  it("reports the reason if it can't listen on its address", async () => {
    const options = { host: "192.0.2.1", port: 0, canFallBack: true };
    await assert.rejects(
      listen(siteHttp(SITE).handler, options, () => undefined),
      { code: "SVC_CONFIG", message: /192\.0\.2\.1/ },
    );
  });
});

/** A site with one response that tests release. */
function slowSite() {
  let started!: () => void;
  let finish!: () => void;
  const isStarted = new Promise<void>((resolve) => (started = resolve));
  const mayFinish = new Promise<void>((resolve) => (finish = resolve));
  let abort!: () => void;
  const isAborted = new Promise<void>((resolve) => (abort = resolve));
  const routes: Site["routes"] = {
    "GET /": () => text("quick"),
    "GET /slow": async (ctx) => {
      ctx.signal.addEventListener("abort", abort);
      started();
      await mayFinish;
      return text("slow but whole");
    },
  };
  return { routes, isStarted, finish, isAborted };
}

const fetchSlow = (url: string, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(`${url}/slow`, { agent }, (message: IncomingMessage) => {
      let body = "";
      message.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      message.on("end", () => resolve(body));
    });
    asked.on("error", reject);
  });

describe("closing a server", () => {
  it("lets running requests finish, refuses new ones, and does not wait for idle connections", async (test) => {
    const slow = slowSite();
    const { server } = await serve(test, { routes: slow.routes });
    const agent = new Agent({ keepAlive: true });
    test.after(() => agent.destroy());
    const idle = connect(server.port, "127.0.0.1");
    test.after(() => idle.destroy());
    idle.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await once(idle, "data");
    const answer = fetchSlow(server.url, agent);
    await slow.isStarted;
    // Much longer than the test: it passes only if it does not wait for the deadline.
    const closed = server.close(3_600_000);
    await once(idle, "close");
    await assert.rejects(sendOverSocket(server.port, "/"), { code: "ECONNREFUSED" });
    slow.finish();
    assert.equal(await answer, "slow but whole");
    assert.equal(await closed, 0);
  });

  it("does not wait for connections that have not sent a request", async (test) => {
    const { server } = await serve(test, { routes: {} });
    const silent = connect(server.port, "127.0.0.1");
    test.after(() => silent.destroy());
    await once(silent, "connect");
    // The server has accepted the connection when it answers another one.
    await sendOverSocket(server.port, "/");
    assert.equal(await server.close(3_600_000), 0);
  });

  it("does not wait for the connection of a stream after the stream has ended", async (test) => {
    let finish!: () => void;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    const body = async function* (): AsyncGenerator<string> {
      yield "first";
      await mayFinish;
      yield "last";
    };
    const { server } = await serve(test, { routes: { "GET /": () => ({ status: 200, headers: [], body: body() }) } });
    const socket = connect(server.port, "127.0.0.1");
    test.after(() => socket.destroy());
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    while (!answer.includes("first")) await once(socket, "data");
    const closed = server.close(3_600_000);
    finish();
    await closed;
    await once(socket, "close");
    assert.match(answer, /last\r\n0\r\n\r\n$/);
  });

  it("aborts requests at the deadline, and aborts the handler's signal", async (test) => {
    const slow = slowSite();
    const { server } = await serve(test, { routes: slow.routes });
    const agent = new Agent();
    const answer = fetchSlow(server.url, agent).catch((error: unknown) => error);
    await slow.isStarted;
    assert.equal(await server.close(1), 1);
    assert.equal(((await answer) as { code?: unknown }).code, "ECONNRESET");
    await slow.isAborted;
    slow.finish();
  });

  it("announces the end of persistent connections to clients", async (test) => {
    const slow = slowSite();
    const { server } = await serve(test, { routes: slow.routes });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n");
    await slow.isStarted;
    const closed = server.close(3_600_000);
    slow.finish();
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    await closed;
    assert.match(answer, /\r\nconnection: close\r\n[^]*slow but whole$/i);
  });
});

describe("a client that disconnects", () => {
  it("before its response aborts the handler's signal, and the server continues", async (test) => {
    const slow = slowSite();
    const { http, server } = await serve(test, { routes: slow.routes });
    const asked = request(`${server.url}/slow`, { agent: false });
    asked.on("error", () => undefined); // our own destroy
    asked.end();
    await slow.isStarted;
    asked.destroy();
    await slow.isAborted;
    slow.finish();
    assert.equal((await sendOverSocket(server.port, "/")).text, "quick");
    assert.deepEqual(http.faults, []);
  });

  for (const [how, errorOf] of [
    ["that it has left", (signal) => signal.reason as unknown],
    ["what a library makes of it", () => Object.assign(new Error("stopped"), { name: "AbortError" })],
  ] satisfies [string, (signal: AbortSignal) => unknown][]) {
    it(`before its response, and whose handler fails with ${how}, is counted as a client disconnect`, async (test) => {
      let start = (): void => undefined;
      const hasStarted = new Promise<void>((resolve) => (start = resolve));
      let end: (seen: [status: number, isCut: boolean]) => void;
      const hasEnded = new Promise<[number, boolean]>((resolve) => (end = resolve));
      const { http, server } = await serve(test, {
        routes: {
          "GET /": ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(errorOf(signal)));
              start();
            }),
        },
        observer: {
          began: () => undefined,
          answering: () => undefined,
          ended: (_ctx, { status }, _durationMs, isCut) => end([status, isCut]),
        },
      });
      const asked = request(server.url, { agent: false });
      asked.on("error", () => undefined); // our own destroy
      asked.end();
      await hasStarted;
      asked.destroy();
      assert.deepEqual(await hasEnded, [499, true]);
      assert.deepEqual(http.faults, []);
    });
  }

  it("does not affect a handler that fails because of another signal", async (test) => {
    const { http, server } = await serve(test, {
      routes: { "GET /": () => AbortSignal.abort().throwIfAborted() as never },
    });
    assert.equal((await sendOverSocket(server.port, "/")).status, 500);
    assert.equal(http.faults.length, 1);
  });
});
