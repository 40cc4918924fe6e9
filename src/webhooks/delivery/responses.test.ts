/** Responses that the sender accepts, on real sockets, whole or byte by byte, and whether the connection is reused. */
import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { Sender } from "./sender.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** Responses with their bodies, and whether the connection may be reused. */
const ACCEPTED: [name: string, text: string, isKept: boolean, body: string][] = [
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n", true, ""],
  ["no reason phrase", "HTTP/1.1 204\r\n\r\n", true, ""],
  ["a length", `${OK}Content-Length: 2\r\n\r\nok`, true, "ok"],
  ["a length of 0", `${OK}content-length:0\r\n\r\n`, true, ""],
  ["chunks", `${CHUNKED}3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n`, true, "abc0123456789"],
  ["trailers", `${CHUNKED}1\r\na\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n`, true, "a"],
  ["an interim response", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 1\r\n\r\na`, true, "a"],
  ["a line break before it", `\r\n${OK}Content-Length: 1\r\n\r\na`, true, "a"],
  ["Connection: close", `${OK}Connection: x, Close\r\nContent-Length: 1\r\n\r\na`, false, "a"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", false, "a"],
  ["chunks under HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", false, "a"],
  ["a chunk size with leading zeros", `${CHUNKED}000000001\r\na\r\n0\r\n\r\n`, true, "a"],
  ["HTTP/1.0 and keep-alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", true, "a"],
  ["a keep-alive hint of 1 s", `${OK}Keep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n`, false, ""],
  ["more bytes than its length", `${OK}Content-Length: 1\r\n\r\nab`, false, "a"],
  ["another response behind its chunks", `${CHUNKED}0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`, false, ""],
  ["bytes after no content", "HTTP/1.1 204 No Content\r\n\r\nx", false, ""],
];

const REJECTED: [name: string, text: string, why: RegExp][] = [
  ["another protocol", "220 mail.example.com ESMTP\r\n", /not valid HTTP\/1\.1/],
  ["a protocol of the future", "HTTP/2 200\r\n\r\n", /not valid HTTP\/1\.1/],
  ["no status", "HTTP/1.1 OK\r\n\r\n", /not valid HTTP\/1\.1/],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", /not valid HTTP\/1\.1/],
  [
    "a switch of protocols",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    /switches protocols/,
  ],
  ["a switch of protocols without headers", "HTTP/1.1 101 Switching Protocols\r\n\r\n", /switches protocols/],
  ["100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`, /100 Continue/],
  ["bare line feeds", `HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a bare return in a header", `${OK}X: a\rContent-Length: 1\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a return at the end of a header", `${OK}X: a\r\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a folded header", `${OK}X: a\r\n b\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a space before the colon", `${OK}Content-Length : 1\r\n\r\na`, /not valid HTTP\/1\.1/],
  ["a header without a name", `${OK}: 1\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a NUL", `${OK}X: a\0b\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["two lengths", `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, /does not match its Content-Length/],
  [
    "a length beside chunks",
    `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    /does not match its Content-Length/,
  ],
  ["chunks beside a length", `${OK}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a list of lengths", `${OK}Content-Length: 1, 1\r\n\r\na`, /does not match its Content-Length/],
  ["a length below 0", `${OK}Content-Length: -1\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a length with a sign", `${OK}Content-Length: +1\r\n\r\na`, /not valid HTTP\/1\.1/],
  ["a chunk size that is no number", `${CHUNKED}x\r\n`, /not valid HTTP\/1\.1/],
  ["a chunk longer than its size", `${CHUNKED}1\r\nab\r\n0\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a bare line feed after a chunk size", `${CHUNKED}1\na\r\n0\r\n\r\n`, /not valid HTTP\/1\.1/],
  ["a head without end", `${OK}X: ${"x".repeat(17_000)}`, /longer than 16384 bytes/],
  ["trailers without end", `${CHUNKED}0\r\nX: ${"x".repeat(17_000)}`, /longer than 16384 bytes/],
];

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

/** Sends two deliveries to a receiver that sends the same bytes to both. @param isClosed whether it closes the connection afterwards */
async function deliver(
  text: string,
  isSlow: boolean,
  isClosed: boolean,
): Promise<{ results: AttemptResult[]; connections: number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => socket.destroy());
    socket.on(
      "data",
      () => void write(socket, Buffer.from(text, "latin1"), isSlow).then(() => isClosed && socket.end()),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const policy = new SsrfPolicy({ allowCidrs: ["127.0.0.0/8"] });
  const sender = new Sender({ clock: new SimulatedClock(), policy, total: 8 });
  const target = {
    rawUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: {},
    secrets: { current: undefined, previous: undefined },
    traceparent: undefined,
  };
  const results = [await sender.send(row, target), await sender.send(row, target)];
  await sender.destroy();
  await new Promise((resolve) => server.close(resolve));
  return { results, connections };
}

async function write(socket: Socket, bytes: Buffer, isSlow: boolean): Promise<void> {
  socket.setNoDelay(true);
  if (!isSlow) return void socket.write(bytes);
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("responses of receivers", () => {
  for (const [name, text, isKept, body] of ACCEPTED) {
    it(`a response with ${name} is read, and its connection is ${isKept ? "kept" : "closed"}`, async () => {
      // Later bytes would belong to the next response.
      const isPrompt = /^(?:more|another|bytes)/.test(name);
      for (const isSlow of isPrompt ? [false] : [false, true]) {
        const { results, connections } = await deliver(text, isSlow, false);
        const seen = results.map(({ statusCode, response, error }) => [statusCode, response, error]);
        const status = text.includes(" 204") ? 204 : 200;
        assert.deepEqual(seen, [
          [status, body, undefined],
          [status, body, undefined],
        ]);
        assert.equal(connections, isKept ? 1 : 2);
      }
    });
  }

  for (const [name, text, why] of REJECTED) {
    it(`a response with ${name} fails the attempt or truncates the body, with the reason, and closes the connection`, async () => {
      for (const isSlow of [false, text.length < 1000]) {
        const { results, connections } = await deliver(text, isSlow, true);
        for (const { statusCode, error, response } of results) assert.match(`${statusCode} ${error} ${response}`, why);
        assert.equal(connections, 2);
      }
    });
  }
});
