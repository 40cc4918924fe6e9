/** Client behavior on a connection: pipelining, waiting, disconnecting, other versions. For refusals see server.test.ts. */
import assert from "node:assert/strict";
import { getMaxListeners, once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { SimulatedClock } from "../shared/clock.ts";
import { sendRaw } from "../../testing/send-raw.ts";
import { listenTo, sendOverSocket, siteHttp, type Site } from "./adapters.test.ts";
import { eventStream } from "./response/event-stream.ts";
import { text } from "./response/response.ts";
import { listen, type Timeouts } from "./server.ts";

async function serve(test: TestContext, routes: Site["routes"], timeouts?: Timeouts) {
  const http = siteHttp({ routes });
  const server = await listenTo(http, timeouts);
  test.after(() => server.close(0));
  const open = (): Socket => {
    const socket = connect(server.port, "127.0.0.1");
    test.after(() => socket.destroy());
    return socket;
  };
  return { http, server, open, raw: (bytes: string) => sendRaw(server.port, bytes) };
}

/** Statuses of the responses on one connection, in order. */
const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
const post = (path: string, body: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;
const LAST = "connection: close\r\n";

describe("pipelined requests on a connection", () => {
  it("are answered in order, even if the first is slowest and one is unknown", async (test) => {
    const first = gate();
    const { raw } = await serve(test, {
      "GET /slow": async () => {
        await first.opened;
        return text("<slow>");
      },
      "POST /echo": async (ctx) => text(`<${await ctx.text(100)}>`),
      "GET /quick": () => {
        first.open();
        return text("<quick>");
      },
    });
    const answers = await raw(get("/slow") + post("/echo", "body") + get("/nothing") + get("/quick", LAST));
    assert.deepEqual(statuses(answers), [200, 200, 404, 200]);
    assert.deepEqual(answers.match(/<\w+>/g), ["<slow>", "<body>", "<quick>"]);
  });

  it("are answered up to one that is refused unread", async (test) => {
    const { raw } = await serve(test, { "GET /": () => text("ok"), "POST /": async (ctx) => text(await ctx.text(3)) });
    const twoHosts = "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n";
    assert.deepEqual(statuses(await raw(get("/") + twoHosts + get("/"))), [200, 400]);
    assert.deepEqual(statuses(await raw(get("/") + "nonsense\r\n\r\n" + get("/"))), [200, 400]);
  });

  it("are not processed behind one that ends the connection, because its own end may be ambiguous", async (test) => {
    const handled: string[] = [];
    const handle = (ctx: { path: string }) => {
      handled.push(ctx.path);
      return text("ok");
    };
    const { raw } = await serve(test, { "GET /": handle, "GET /behind": handle, "POST /": handle });
    const old = "HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\n";
    const faulty = [
      `POST / ${old}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      `GET / ${old}transfer-encoding: identity, chunked\r\n\r\n0\r\n\r\n`,
      `POST / ${old}transfer-encoding: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
      "GET //x HTTP/1.1\r\nhost: a\r\n\r\n",
    ];
    for (const bytes of faulty) assert.deepEqual(statuses(await raw(bytes + get("/behind"))), [400], bytes);
    assert.deepEqual(handled, []);
    assert.deepEqual(statuses(await raw(get("/", LAST) + get("/behind"))), [200]);
    assert.deepEqual(handled, ["/"]);
  });

  it("get no refusal instead of a response that is still being created", async (test) => {
    const made = gate();
    const { http, open } = await serve(test, {
      "GET /slow": async () => {
        started.open();
        await made.opened;
        return text("<slow>");
      },
    });
    const started = gate();
    const socket = open();
    const closed = once(socket, "close");
    let answers = "";
    socket.on("data", (bytes) => (answers += bytes.toString()));
    socket.write(`${get("/slow")}nonsense\r\n\r\n`);
    await started.opened;
    // One turn, in which the invalid bytes would be answered if that happened immediately.
    await new Promise((resolve) => setImmediate(resolve));
    made.open();
    await closed;
    assert.deepEqual(statuses(answers), [200, 400]);
    assert.match(answers, /<slow>/);
    assert.deepEqual(http.faults, []);
  });

  it("that were read completely keep the connection open", async (test) => {
    const { raw } = await serve(test, { "POST /": async (ctx) => text(`<${await ctx.text(100)}>`) });
    const answers = await raw(post("/", "one") + post("/", "two", LAST));
    assert.deepEqual(answers.match(/<\w+>/g), ["<one>", "<two>"]);
  });
});

describe("the signal of a request", () => {
  it("accepts any number of listeners without a leak warning from Node", async (test) => {
    const { http, server } = await serve(test, { "GET /": (ctx) => text(String(getMaxListeners(ctx.signal))) });
    assert.equal((await sendOverSocket(server.port, "/")).text, "Infinity");
    assert.equal(await (await http.fetch(new Request("http://a/"))).text(), "Infinity");
  });
});

describe("a connection with many requests", () => {
  it("has no more listeners after a thousand requests than after one", async (test) => {
    const pieces = async function* (): AsyncGenerator<string> {
      yield "piece";
    };
    const http = siteHttp({
      routes: {
        "POST /": async (ctx) => text(`${await ctx.text(10)}${ctx.signal.aborted}`),
        "GET /": () => ({ status: 200, headers: [], body: pieces() }),
      },
    });
    const counts: number[] = [];
    const server = await listen(
      (message, reply) => {
        reply.once("close", () => {
          const { socket } = message;
          counts.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
        });
        return http.handler(message, reply);
      },
      { host: "127.0.0.1", port: 0, canFallBack: false },
      (error) => http.faults.push(error),
    );
    test.after(() => server.close(0));
    await sendRaw(server.port, (post("/", "body") + get("/")).repeat(500) + get("/", LAST));
    assert.equal(counts.length, 1001);
    // The last request of a connection has the listeners for its end.
    assert.ok((counts.at(-2) ?? 0) <= (counts[0] ?? 0), `${counts[0]} listeners, then ${counts.at(-2)}`);
    assert.deepEqual(http.faults, []);
  });
});

describe("a slow client", () => {
  it("gets 408 if its headers are late", async (test) => {
    const { http, raw } = await serve(test, { "GET /": () => text("ok") }, { headers: 100, request: 60_000 });
    const answer = await raw("GET / HTTP/1.1\r\nhost: a\r\nx-slow: ");
    assert.deepEqual(statuses(answer), [408]);
    assert.match(answer, /SVC_TIMEOUT/);
    assert.match(answer, /\r\nx-finished: yes/);
    assert.deepEqual(http.faults, []);
  });

  it("gets 408 if its body is late, whether or not a handler waits for it", async (test) => {
    const { http, raw } = await serve(
      test,
      { "POST /": async (ctx) => text(await ctx.text(100)) },
      { headers: 200, request: 200 },
    );
    const answer = await raw("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 50\r\n\r\nonly so much");
    assert.deepEqual(statuses(answer), [408]);
    assert.deepEqual(http.faults, []);
  });

  it("finds its idle connection closed", async (test) => {
    const { open } = await serve(test, { "GET /": () => text("ok") }, { keepAlive: 50 });
    const socket = open();
    let answers = "";
    socket.on("data", (bytes) => (answers += bytes.toString()));
    const ended = once(socket, "end");
    socket.write(get("/"));
    await ended;
    assert.deepEqual(statuses(answers), [200]);
  });
});

describe("an endless body", () => {
  it("is refused at the limit, whatever its chunks contain", async (test) => {
    const { http, raw } = await serve(test, { "POST /": async (ctx) => text(await ctx.text(1000)) });
    const head = `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`;
    assert.deepEqual(statuses(await raw(`${head}${`64\r\n${"x".repeat(100)}\r\n`.repeat(50)}`)), [413]);
    assert.deepEqual(statuses(await raw(`${head}1;${"x=1;".repeat(10_000)}\r\nx\r\n`)), [413], "extensions");
    assert.deepEqual(statuses(await raw(`${head}0\r\n${"trailer: x\r\n".repeat(5000)}`)), [431], "trailers");
    assert.deepEqual(http.faults, []);
  });

  it("that nobody reads does not block the connection", async (test) => {
    const { raw } = await serve(test, { "POST /": () => text("no, thank you") });
    const answer = await raw("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nbeginning");
    assert.match(answer, /\r\nconnection: close\r\n[^]*no, thank you$/i);
  });
});

describe("an expectation", () => {
  const routes: Site["routes"] = {
    "POST /read": async (ctx) => text(`<${await ctx.text(10)}>`),
    "POST /unread": () => text("<unread>"),
  };
  const expecting = (path: string, expect: string, version = "1.1"): string =>
    `POST ${path} HTTP/${version}\r\nhost: a\r\nexpect: ${expect}\r\ncontent-length: 4\r\n${LAST}\r\n`;

  it("of 100-continue is met only when the body is read", async (test) => {
    const { open, raw } = await serve(test, routes);
    const socket = open();
    socket.write(expecting("/read", "100-Continue"));
    const [interim] = (await once(socket, "data")) as [Buffer];
    assert.equal(interim.toString(), "HTTP/1.1 100 Continue\r\n\r\n");
    const answered = once(socket, "data");
    socket.write("body");
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 200 [^]*<body>$/);
    for (const path of ["/unread", "/nowhere"]) {
      const answer = await raw(expecting(path, "100-continue"));
      assert.deepEqual(statuses(answer), [path === "/unread" ? 200 : 404]);
    }
  });

  it("other than 100-continue is refused with 417", async (test) => {
    const { raw } = await serve(test, routes);
    for (const expect of ["tea", "100-continue, tea", "200-ok"]) {
      const answer = await raw(expecting("/read", expect));
      assert.deepEqual(statuses(answer), [417], expect);
      assert.match(answer, /SVC_EXPECTATION/);
    }
  });

  it("of an HTTP/1.0 client, which does not know 100, gets no reply", async (test) => {
    const { raw } = await serve(test, routes);
    const answer = await raw(`${expecting("/read", "100-continue", "1.0")}body`);
    assert.deepEqual(statuses(answer), [200]);
  });
});

describe("a listening server", () => {
  it("answers HTTP/1.0 and closes the connection, and streams without chunks", async (test) => {
    const pieces = async function* (): AsyncGenerator<string> {
      yield "one ";
      yield "two";
    };
    const { raw } = await serve(test, {
      "GET /": () => text("ok"),
      "GET /stream": () => ({ status: 200, headers: [], body: pieces() }),
    });
    assert.match(await raw("GET / HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*ok$/i);
    const stream = await raw("GET /stream HTTP/1.0\r\n\r\n");
    assert.doesNotMatch(stream, /transfer-encoding/i);
    assert.match(stream, /\r\n\r\none two$/);
  });

  it("keeps an HTTP/1.0 connection with keep-alive", async (test) => {
    const { raw } = await serve(test, { "GET /": () => text("ok") });
    const kept = "GET / HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\n\r\n";
    assert.deepEqual(statuses(await raw(`${kept}GET / HTTP/1.0\r\n\r\n`)), [200, 200]);
  });

  it("ignores an upgrade, and answers the request", async (test) => {
    const { raw } = await serve(test, { "GET /": () => text("ok") });
    for (const protocol of ["websocket", "h2c", "TLS/1.3"]) {
      const answer = await raw(get("/", `connection: upgrade, close\r\nupgrade: ${protocol}\r\n`));
      assert.deepEqual(statuses(answer), [200], protocol);
      assert.match(answer, /\r\n\r\nok$/);
    }
  });

  it("refuses folded lines, lines with LF only, and a space before the colon", async (test) => {
    const { raw } = await serve(test, { "GET /": () => text("ok") });
    for (const head of [
      "GET / HTTP/1.1\nhost: a\n\n",
      "GET / HTTP/1.1\r\nhost: a\r\nx: 1\n\r\n",
      "GET / HTTP/1.1\r\nhost : a\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +5\r\n\r\n",
      "GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n",
    ])
      assert.deepEqual(statuses(await raw(head)), [400], JSON.stringify(head));
  });

  it("ends a HEAD request for an event stream at once, without starting the stream", async (test) => {
    let begun = 0;
    const events = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => void begun++) }) };
    const { server } = await serve(test, {
      "GET /": (ctx) => eventStream(events, { clock: new SimulatedClock(), signal: ctx.signal }),
    });
    const reply = await sendOverSocket(server.port, "/", { method: "HEAD" });
    assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
    assert.equal(begun, 0);
  });
});

describe("a client that stops reading", () => {
  it("is disconnected after a timeout, in contrast to one with a slow handler", async (test) => {
    const [slow, ended] = [gate(), gate()];
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(1_000_000);
      } finally {
        ended.open();
      }
    };
    const { open, http } = await serve(
      test,
      {
        "GET /endless": () => ({ status: 200, headers: [], body: endless() }),
        "GET /slow": async () => {
          await slow.opened;
          return text("<slow>");
        },
      },
      { stall: 100 },
    );
    const patient = open();
    patient.write(get("/slow", LAST));
    const stalled = open();
    stalled.write(get("/endless"));
    // By then more time has passed for the patient client as well.
    await ended.opened;
    slow.open();
    let answer = "";
    for await (const bytes of patient) answer += String(bytes);
    assert.match(answer, /<slow>$/);
    assert.deepEqual(http.faults, []);
  });

  it("gets no more events than the buffers hold, and uses no more memory", async (test) => {
    let made = 0;
    const ended = gate();
    const events = async function* () {
      try {
        for (;;) yield { id: ++made, data: "x".repeat(10_000) };
      } finally {
        ended.open();
      }
    };
    const { open, http } = await serve(test, {
      "GET /": (ctx) => eventStream(events(), { clock: new SimulatedClock(), signal: ctx.signal }),
    });
    const socket = open();
    socket.write(get("/"));
    await once(socket, "readable");
    for (let before = -1; before !== made;) {
      before = made;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(made < 5000, `${made} events of 10 KB were made for a client that reads nothing`);
    socket.destroy();
    await ended.opened;
    assert.deepEqual(http.faults, []);
  });
});
