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

/** Status, headers and body of what a raw request brought; the finishing touch must be on all of it. */
function reported(answer: string): { status: number; code: unknown; head: string } {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  const { code } = JSON.parse(body === "" ? "{}" : body) as { code?: unknown };
  assert.match(head, /\r\nx-finished: yes/, answer);
  return { status: Number(head.split(" ")[1]), code, head };
}

describe("refused at the door", () => {
  const http = siteHttp(SITE);
  let server: Listening;
  before(async () => void (server = await listenTo(http)));
  after(() => server.close(0));
  const ask = async (head: string) => reported(await sendRaw(server.port, `${head}\r\nconnection: close\r\n\r\n`));

  it("two Host headers, two content types, no host, and a host that is none: 400", async () => {
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

  it("absolute-form, //host, dot segments, fragments and raw bytes in the target: 400", async () => {
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

  it("what is no HTTP, or HTTP that two readers would cut differently: 400", async () => {
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

  it("more headers than anybody needs, or longer ones: 431", async () => {
    const many = Array.from({ length: 101 }, (_, at) => `x-${at}: 1`).join("\r\n");
    for (const headers of [many, `x-long: ${"a".repeat(20_000)}`]) {
      const { status, code } = await ask(`GET / HTTP/1.1\r\nhost: a\r\n${headers}`);
      assert.deepEqual([status, code], [431, "SVC_HEADERS_TOO_LARGE"]);
    }
  });

  it("a URL over 8 KiB: 414", async () => {
    const { status, code } = await ask(`GET /${"a".repeat(8192)} HTTP/1.1\r\nhost: a`);
    assert.deepEqual([status, code], [414, "SVC_URL_TOO_LONG"]);
  });

  it("TRACE and CONNECT: 405 with what is allowed", async () => {
    for (const head of ["TRACE / HTTP/1.1\r\nhost: a", "CONNECT a:443 HTTP/1.1\r\nhost: a:443"]) {
      const { status, code, head: headers } = await ask(head);
      assert.deepEqual([status, code], [405, "SVC_METHOD"], head);
      assert.match(headers, /\r\nallow: GET, HEAD, POST/i);
    }
  });

  it("a body that is broken on the way: 400, and the wait for it ends", async () => {
    const { status } = await ask("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz");
    assert.equal(status, 400);
  });

  it("does not harm the next: the server answers on", async () => {
    assert.equal((await sendOverSocket(server.port, "/")).text, "ok");
    assert.deepEqual(http.faults, []);
  });
});

describe("a listening server", () => {
  it("answers several requests on one connection, in order", async (test) => {
    const { server } = await serve(test, { routes: { "GET /:n": (ctx) => text(`<${ctx.params["n"]}>`) } });
    const ask = (n: number, more = ""): string => `GET /${n} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
    const answer = await sendRaw(server.port, ask(1) + ask(2) + ask(3, "connection: close\r\n"));
    assert.deepEqual(answer.match(/<\d>/g), ["<1>", "<2>", "<3>"]);
  });

  it("keeps a connection without what was asked and answered on it", { timeout: 60_000 }, async (test) => {
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
    // The client may have read the answer before the server hears that it is out.
    while (sockets[0]?.[REPLY] !== null) await new Promise(setImmediate);
    assert.equal(sockets[0].destroyed, false);
  });

  it("gives names of prototypes no header", async (test) => {
    const { server } = await serve(test, {
      routes: {
        "GET /": (ctx) => json(["constructor", "__proto__", "toString"].map((name) => ctx.header(name) ?? null)),
      },
    });
    assert.equal((await sendOverSocket(server.port, "/")).text, "[null,null,null]");
  });

  it("that finds its port taken says which and what to do, or takes the next where it may", async (test) => {
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

  it("that can't have its address says why", async () => {
    const options = { host: "192.0.2.1", port: 0, canFallBack: true };
    await assert.rejects(
      listen(siteHttp(SITE).handler, options, () => undefined),
      { code: "SVC_CONFIG", message: /192\.0\.2\.1/ },
    );
  });
});

/** A site whose one answer waits until it is told to go on. */
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
  it("lets what is under way finish, refuses what is new, and does not wait for kept-alive connections", async (test) => {
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
    // Far longer than this test may take: that it ends shows that the deadline was not waited for.
    const closed = server.close(3_600_000);
    await once(idle, "close");
    await assert.rejects(sendOverSocket(server.port, "/"), { code: "ECONNREFUSED" });
    slow.finish();
    assert.equal(await answer, "slow but whole");
    assert.equal(await closed, 0);
  });

  it("does not wait for connections that were opened ahead and have asked nothing", async (test) => {
    const { server } = await serve(test, { routes: {} });
    const silent = connect(server.port, "127.0.0.1");
    test.after(() => silent.destroy());
    await once(silent, "connect");
    // The server has accepted it once it answers another.
    await sendOverSocket(server.port, "/");
    assert.equal(await server.close(3_600_000), 0);
  });

  it("does not wait for the connection of a stream that was under way, once that has ended", async (test) => {
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

  it("cuts off what is not finished by the deadline, and tells its handler", async (test) => {
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

  it("tells a client that its connection is not kept", async (test) => {
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

describe("a client that leaves", () => {
  it("before its answer: the handler is told, the server lives", async (test) => {
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
    it(`before its answer, and the handler fails by ${how}: nobody's fault, counted as a request of the client's`, async (test) => {
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

  it("has no part in a handler that fails by a signal of its own", async (test) => {
    const { http, server } = await serve(test, {
      routes: { "GET /": () => AbortSignal.abort().throwIfAborted() as never },
    });
    assert.equal((await sendOverSocket(server.port, "/")).status, 500);
    assert.equal(http.faults.length, 1);
  });
});
