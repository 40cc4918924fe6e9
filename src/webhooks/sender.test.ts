/** What goes over connections to receivers, on real sockets: whole requests, one at a time, each over a connection that is as it should be. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { SsrfPolicy } from "../security/ssrf.ts";
import { SimulatedClock } from "../shared/clock.ts";
import type { DeliveryRow } from "../store/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { requestText, type Target } from "./request-headers.ts";
import { Sender } from "./sender.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const open: (() => unknown)[] = [];
async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

interface Receiver {
  url: string;
  sockets: Socket[];
  requests: Buffer[];
}

/** Calls back with each request, of which the body must end with "}". */
async function receiver(onRequest: (socket: Socket, requests: number) => void): Promise<Receiver> {
  const [sockets, requests]: [Socket[], Buffer[]] = [[], []];
  const server = createServer((socket) => {
    sockets.push(socket);
    let held = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      held = Buffer.concat([held, bytes]);
      if (held.at(-1) !== 125) return;
      onRequest(socket, requests.push(held));
      held = Buffer.alloc(0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, sockets, requests };
}

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

function sender(clock = new SimulatedClock()): (url: string, body?: string) => Promise<AttemptResult> {
  const policy = new SsrfPolicy({ allowCidrs: ["127.0.0.0/8"], exemptUrl: () => undefined });
  const made = new Sender({ clock, policy, total: 8 });
  open.push(() => made.destroy());
  return (url, body = "{}") => made.send({ ...row, body }, targetOf(url));
}

describe("a request", () => {
  afterEach(closeAll);

  it("arrives as it was, with its length in bytes, whatever characters it holds", async () => {
    const { url, requests } = await receiver((socket) => void socket.write("HTTP/1.1 204 x\r\n\r\n"));
    const body = JSON.stringify({ text: "naïve 🦊 ".repeat(5000) });
    const { statusCode } = await sender()(url, body);
    const [head = "", sent] = (requests[0]?.toString("utf8") ?? "").split("\r\n\r\n");
    assert.deepEqual([statusCode, sent], [204, body]);
    assert.match(head, new RegExp(`\r\ncontent-length: ${Buffer.byteLength(body)}$`));
  });

  it("is never made of lines that end early", () => {
    for (const headers of [{ "X-A": "1\r\nX-B: 2" }, { "X-A": "1\n" }, { "X\r\nY": "1" }])
      assert.throws(() => requestText("a.example", "/", row, targetOf("", headers), 0), /invariant/);
    assert.throws(() => requestText("a.example", "/ HTTP/1.1\r\nX: ", row, targetOf(""), 0), /invariant/);
  });
});

describe("a connection", () => {
  afterEach(closeAll);

  it("that was sent an answer nobody asked for is not used again", async () => {
    const { url, sockets } = await receiver((socket, requests) => {
      const answer = `${OK}Content-Length: 1\r\n\r\n`;
      socket.write(requests === 1 ? `${answer}a${answer}x` : `${answer}b`);
    });
    const send = sender();
    assert.deepEqual([(await send(url)).response, (await send(url)).response], ["a", "b"]);
    assert.equal(sockets.length, 2);
  });

  it("that is sent one later, while it is idle, is not used again either", async () => {
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

  for (const [hint, keptMs] of [
    ["", 4000],
    ["Keep-Alive: timeout=30\r\n", 28_000],
  ] as const) {
    it(`that the receiver says "${hint.trim()}" of is kept for ${keptMs} ms, and no longer`, async () => {
      const { url, sockets } = await receiver((socket) => {
        socket.write(`${OK}${hint}Content-Length: 0\r\n\r\n`);
      });
      const clock = new SimulatedClock();
      const send = sender(clock);
      await send(url);
      await clock.advance(keptMs - 1);
      await send(url);
      assert.equal(sockets.length, 1);
      const closed = once(sockets[0] as Socket, "close");
      await clock.advance(keptMs + 1000);
      await closed;
      assert.equal(clock.pending, 0);
    });
  }

  it("whose receiver answers until it closes is used once", async () => {
    const { url, sockets } = await receiver((socket, requests) => void socket.end(`${OK}\r\n${requests}`));
    const send = sender();
    assert.deepEqual([(await send(url)).response, (await send(url)).response], ["1", "2"]);
    assert.equal(sockets.length, 2);
  });
});
