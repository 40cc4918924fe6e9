/** Connections to receivers, on real sockets: whole requests, one at a time, each over a clean connection. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, it, mock } from "node:test";
import { SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { checkHeaders, type Target } from "./request-headers.ts";
import { Sender } from "./sender.ts";

const PATIENCE_MS = 30_000;
const OK = "HTTP/1.1 200 OK\r\n";
const open: (() => unknown)[] = [];
async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS;
  while (!isTrue()) {
    assert.ok(Date.now() < endMs, `waited ${PATIENCE_MS} ms for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets the event loop process a response. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Receiver {
  url: string;
  sockets: Socket[];
  requests: Buffer[];
}

/** Calls back with each request. Each body must end with "}". */
async function receiver(onRequest: (socket: Socket, requests: number) => void): Promise<Receiver> {
  const requests: Buffer[] = [];
  const listening = await listen((socket) => {
    let held = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      held = Buffer.concat([held, bytes]);
      if (held.at(-1) !== 125) return;
      onRequest(socket, requests.push(held));
      held = Buffer.alloc(0);
    });
  });
  return { ...listening, requests };
}

/** A server that reads nothing. @param answer sent after a client has connected */
const deaf = (answer: string): Promise<Pick<Receiver, "url" | "sockets">> =>
  listen((socket) => void socket.pause().write(answer));

async function listen(onSocket: (socket: Socket) => void): Promise<Pick<Receiver, "url" | "sockets">> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, sockets };
}

/** A server that responds to each request. */
const answering = (): Promise<Receiver> => receiver((socket) => void socket.write(`${OK}Content-Length: 0\r\n\r\n`));

const row: DeliveryRow = {
  id: "msg_1",
  registrationId: "wh_1",
  graphId: "g_1",
  event: "graph.done",
  epoch: 1,
  pauseNo: 0,
  body: "{}",
  createdMs: 1,
  dueMs: 1,
  status: "pending",
  attempts: 0,
  deliveredMs: undefined,
};
const targetOf = (rawUrl: string, headers: Record<string, string> = {}): Target => ({
  rawUrl,
  headers,
  secrets: { current: undefined, previous: undefined },
  traceparent: undefined,
});

const LOOPBACK = new SsrfPolicy({ allowCidrs: ["127.0.0.0/8"], exemptUrl: () => undefined });

function sender(clock = new SimulatedClock()): (url: string, body?: string) => Promise<AttemptResult> {
  const made = new Sender({ clock, policy: LOOPBACK, total: 8 });
  open.push(() => made.destroy());
  return (url, body = "{}") => made.send({ ...row, body }, targetOf(url));
}

describe("a request to a receiver", () => {
  afterEach(closeAll);

  it("arrives unchanged, with its length in bytes, for any characters", async () => {
    const { url, requests } = await receiver((socket) => void socket.write("HTTP/1.1 204 x\r\n\r\n"));
    const body = JSON.stringify({ text: "naïve 🦊 ".repeat(5000) });
    const { statusCode } = await sender()(url, body);
    const [head = "", sent] = (requests[0]?.toString("utf8") ?? "").split("\r\n\r\n");
    assert.deepEqual([statusCode, sent], [204, body]);
    assert.match(head, new RegExp(`\r\ncontent-length: ${Buffer.byteLength(body)}$`));
  });

  it("is rejected before it is sent if a header has a line break or another control character", () => {
    for (const header of ["1\r\nX-B: 2", "1\n", "1\0", "é"])
      assert.throws(() => checkHeaders(["X-A", header]), /an invalid character/);
    assert.throws(() => checkHeaders(["X\r\nY", "1"]), /an invalid character/);
    checkHeaders(["X-A", "1 ~!"]);
  });

  it("that can't be created is a failed attempt that ends at once", async () => {
    const clock = new SimulatedClock();
    const sending = new Sender({ clock, policy: new SsrfPolicy(), total: 8 });
    open.push(() => sending.destroy());
    const result = await sending.send(row, targetOf("http://8.8.8.8/", { "X-A": "1\r\nX-B: 2" }));
    assert.match(result.error ?? "", /^a header of this webhook has an invalid character/);
    assert.deepEqual([result.statusCode, clock.pending], [undefined, 0]);
  });
});

describe("a connection to a receiver", () => {
  afterEach(closeAll);

  it("that received an unexpected response is not reused", async () => {
    const { url, sockets } = await receiver((socket, requests) => {
      const answer = `${OK}Content-Length: 1\r\n\r\n`;
      socket.write(requests === 1 ? `${answer}a${answer}x` : `${answer}b`);
    });
    const send = sender();
    assert.deepEqual([(await send(url)).response, (await send(url)).response], ["a", "b"]);
    assert.equal(sockets.length, 2);
  });

  it("that receives an unexpected response later, while it is idle, is not reused", async () => {
    const { url, sockets } = await receiver((socket, requests) => {
      socket.write(`${OK}Content-Length: 1\r\n\r\n${requests}`);
    });
    const send = sender();
    await send(url);
    const closed = once(sockets[0] as Socket, "close");
    sockets[0]?.write(`${OK}Content-Length: 1\r\n\r\nx`);
    await closed;
    assert.deepEqual([(await send(url)).response, sockets.length], ["2", 2]);
  });

  for (const [what, happens] of [
    ["closed", (socket: Socket) => void socket.destroy()],
    ["reset", (socket: Socket) => void socket.resetAndDestroy()],
    ["sent an answer", (socket: Socket) => void socket.write(`${OK}Content-Length: 1\r\n\r\nx`)],
    ["sent something else than HTTP", (socket: Socket) => void socket.write("220 mail.example.com ESMTP\r\n")],
  ] as const) {
    it(`that is ${what} at the moment of its reuse is not reused`, async () => {
      const { url, sockets } = await receiver((socket, requests) => {
        socket.write(`${OK}Content-Length: 1\r\n\r\n${requests}`);
      });
      const send = sender();
      await send(url);
      // Deliveries begin when the event loop has not yet read these bytes.
      await new Promise((resolve) => setImmediate(resolve));
      happens(sockets[0] as Socket);
      assert.deepEqual([(await send(url)).response, sockets.length], ["2", 2]);
    });
  }

  it("that got its response before the request was sent completely is not reused", async () => {
    const { sockets, url } = await deaf(`${OK}Content-Length: 0\r\n\r\n`);
    const send = sender();
    const body = JSON.stringify("x".repeat(24 * 1024 * 1024));
    assert.equal((await send(url, body)).statusCode, 200);
    const second = send(url, body);
    await until(() => sockets.length === 2, "another connection");
    assert.equal((await second).statusCode, 200);
  });

  it("is closed if it was idle longest and the limit of connections is reached", async () => {
    const made = new Sender({ clock: new SimulatedClock(), policy: LOOPBACK, total: 2 });
    open.push(() => made.destroy());
    const receivers = [await answering(), await answering(), await answering()];
    for (const { url } of receivers) assert.equal((await made.send(row, targetOf(url))).statusCode, 200);
    await until(() => receivers[0]?.sockets[0]?.destroyed === true, "the first to be closed");
    assert.deepEqual(
      receivers.map(({ sockets }) => sockets[0]?.destroyed),
      [true, false, false],
    );
  });

  it("that is still being established is closed with all others", async () => {
    const { sockets, url } = await deaf("");
    const clock = new SimulatedClock();
    const made = new Sender({ clock, policy: LOOPBACK, total: 8, connectTimeoutMs: 600_000 });
    // The client waits for the server's greeting.
    const sent = made.send(row, targetOf(url.replace("http:", "https:")));
    await until(() => sockets.length === 1, "a connection");
    await made.destroy();
    assert.equal((await sent).error, "connection failed: closed by svc");
    const [socket] = sockets;
    socket?.resume();
    await until(() => socket?.destroyed === true, "the end of the connection");
  });

  for (const [hint, keptMs] of [
    ["", 4000],
    ["Keep-Alive: timeout=30\r\n", 28_000],
    ["Keep-Alive: timeout=86400\r\n", 600_000],
  ] as const) {
    it(`is kept idle for ${keptMs} ms, and no longer, when the receiver sends "${hint.trim()}"`, async () => {
      const { url, sockets } = await receiver((socket, requests) => {
        // undici measures idle time with its own timers, and starts the first one when this response arrives.
        if (requests === 1) mock.timers.enable({ apis: ["setTimeout"] });
        socket.write(`${OK}${hint}Content-Length: 0\r\n\r\n`);
      });
      open.push(() => mock.timers.reset());
      const send = sender();
      await send(url);
      await nextTurns();
      mock.timers.tick(keptMs - 1);
      await send(url);
      assert.equal(sockets.length, 1);
      await nextTurns();
      const closed = once(sockets[0] as Socket, "close");
      mock.timers.tick(keptMs);
      await closed;
      await send(url);
      assert.equal(sockets.length, 2);
    });
  }

  it("is used once when the receiver announces that it closes within 2 s", async () => {
    const { url, sockets } = await receiver(
      (socket) => void socket.write(`${OK}Keep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n`),
    );
    const send = sender();
    await send(url);
    await send(url);
    assert.equal(sockets.length, 2);
  });

  it("is used once if the receiver ends its response by closing", async () => {
    const { url, sockets } = await receiver((socket, requests) => void socket.end(`${OK}\r\n${requests}`));
    const send = sender();
    assert.deepEqual([(await send(url)).response, (await send(url)).response], ["1", "2"]);
    assert.equal(sockets.length, 2);
  });
});
