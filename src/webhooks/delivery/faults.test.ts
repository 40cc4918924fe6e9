/** Misbehaving receivers on real sockets: each leads to a recorded attempt, a free slot and a bounded response. */
import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { AttemptRow, DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { createWebhooks, type WebhooksOptions } from "../webhooks.ts";

const PATIENCE_MS = 30_000;
const open: (() => unknown)[] = [];
/** A server that sends raw bytes. @returns its port */
async function raw(
  onRequest: (socket: Socket, requests: number) => void,
  onConnect: (socket: Socket) => void = () => undefined,
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    onConnect(socket);
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (!text.endsWith("}")) return; // All request bodies are objects.
      requests.push(text);
      text = "";
      onRequest(socket, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS;
  while (!isTrue()) {
    assert.ok(Date.now() < endMs, `waited ${PATIENCE_MS} ms for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Tried {
  attempt: AttemptRow;
  delivery: DeliveryRow;
  clock: SimulatedClock;
}

/** Delivers one ping. @returns the result of the first attempt */
async function deliver(url: string, more: Partial<WebhooksOptions> = {}, isLate = () => false): Promise<Tried> {
  const clock = new SimulatedClock();
  const store = await FakeWebhookStore.open();
  const options = { allowCidrs: ["127.0.0.0/8"], schedule: ["0s", "5s"], random: () => 0, ...more };
  const webhooks = createWebhooks({ store: fakeStore(store), clock, ...options });
  webhooks.start();
  open.push(() => webhooks.close(0));
  const { registration } = await webhooks.create({ url });
  const { delivery_id: id } = await webhooks.ping(registration.id);
  await until(() => isLate() || store.attemptRows.length > 0, "an attempt or the timeout");
  if (store.attemptRows.length === 0) await clock.advance(15_000);
  await until(() => store.attemptRows.length > 0, "the recorded attempt");
  await until(() => webhooks.activeCount() === 0, "a free slot");
  return { attempt: store.attemptRows[0] as AttemptRow, delivery: (await store.delivery(id)) as DeliveryRow, clock };
}

const at = (port: number): string => `http://127.0.0.1:${port}/hook`;
const OK = "HTTP/1.1 200 OK\r\n";

describe("a receiver", () => {
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  it("that is unreachable leads to a failed attempt and a retry on schedule", async () => {
    const { port } = await raw(() => undefined);
    await open.pop()?.();
    const { attempt, delivery, clock } = await deliver(at(port));
    assert.equal(attempt.error, "connection failed: ECONNREFUSED");
    assert.deepEqual([delivery.status, delivery.dueMs], ["pending", clock.now() + 5000]);
  });

  it("that resets the connection before its response leads to a failed attempt", async () => {
    const { port } = await raw((socket) => socket.resetAndDestroy());
    const { attempt } = await deliver(at(port));
    assert.match(attempt.error ?? "", /^connection failed: (?:ECONNRESET|the receiver closed the connection)$/);
  });

  it("that resets the connection in the body of a 200 response counts as delivered, with the body so far", async () => {
    const { port } = await raw((socket) => {
      socket.write(`${OK}Content-Length: 100\r\n\r\nhalf of`, () => setImmediate(() => socket.resetAndDestroy()));
    });
    const { attempt, delivery } = await deliver(at(port));
    assert.equal(delivery.status, "delivered");
    assert.match(attempt.response ?? "", /^(?:half of)?\n\[answer cut short: connection failed: .+\]$/);
  });

  it("that does not support TLS at an https URL leads to a failed attempt", async () => {
    const { port } = await raw(
      () => undefined,
      (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
    const { attempt } = await deliver(`https://127.0.0.1:${port}/`);
    assert.match(attempt.error ?? "", /^connection failed: (?:ERR_SSL_\w+|EPROTO|ECONNRESET|UND_ERR_\w+)$/);
  });

  it("with a name server that never answers times out after 15 s", async () => {
    let isAsked = 0;
    const resolve = (): Promise<string[]> => (isAsked++ === 0 ? Promise.resolve(["127.0.0.1"]) : new Promise(() => {}));
    const { attempt } = await deliver("http://slow.example.com/", { resolve }, () => isAsked > 1);
    assert.deepEqual([attempt.error, attempt.durationMs], ["no answer within 15 s", 15_000]);
  });

  it("that sends its response headers one byte at a time times out after 15 s", async () => {
    let sent = 0;
    const head = `${OK}X-Padding: ${"x".repeat(8000)}`;
    const { port } = await raw((socket) => {
      const timer = setInterval(() => void socket.write(head.charAt(sent++)), 1);
      socket.on("close", () => clearInterval(timer));
    });
    const { attempt } = await deliver(at(port), {}, () => sent > 20);
    assert.deepEqual([attempt.statusCode, attempt.error], [undefined, "no answer within 15 s"]);
  });

  it("that sends endless 103 responses is cut off", async () => {
    const { port } = await raw((socket) => {
      for (let count = 0; count < 200; count++) socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    });
    const { attempt, delivery } = await deliver(at(port));
    assert.match(attempt.error ?? "", /interim responses/);
    assert.equal(delivery.status, "pending");
  });

  it("that sends a few 103 responses before its final one is accepted", async () => {
    const { port } = await raw(
      (socket) => void socket.write(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3)}${OK}Content-Length: 2\r\n\r\nok`),
    );
    const { attempt, delivery } = await deliver(at(port));
    assert.deepEqual([attempt.statusCode, attempt.response, delivery.status], [200, "ok", "delivered"]);
  });

  it("that responds with 100 MB is read for about 64 KiB", async () => {
    let written = 0;
    const { port } = await raw((socket) => {
      socket.write(`${OK}Content-Length: 104857600\r\n\r\n`);
      const more = (): void => {
        while (!socket.destroyed && written < 104_857_600) {
          written += 65_536;
          if (!socket.write(Buffer.alloc(65_536, "x"))) return void socket.once("drain", more);
        }
      };
      more();
    });
    const { attempt, delivery } = await deliver(at(port));
    assert.deepEqual([delivery.status, attempt.response], ["delivered", "x".repeat(2048)]);
    // The buffers of the system on both sides fill up, too.
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
  });

  for (const [what, beginning, endless] of [
    ["a reason phrase", "HTTP/1.1 200 ", "x".repeat(65_536)],
    ["line breaks before its response", "", "\r\n".repeat(32_768)],
    ["an interim response with an endless header", "HTTP/1.1 103 Early Hints\r\nX: ", "x".repeat(65_536)],
    ["a chunk extension", `${OK}Transfer-Encoding: chunked\r\n\r\n1;`, "x".repeat(65_536)],
  ] as const) {
    it(`that sends ${what} without end is cut off long before the timeout`, async () => {
      let written = 0;
      const { port } = await raw((socket) => {
        socket.write(beginning);
        const more = (): void => {
          for (; !socket.destroyed && written < 104_857_600; written += endless.length)
            if (!socket.write(endless)) return void socket.once("drain", more);
        };
        more();
      });
      const { attempt } = await deliver(at(port));
      assert.match(`${attempt.error} ${attempt.response}`, /sent more than 131072 bytes|longer than 16384 bytes/);
      assert.ok(attempt.durationMs < 15_000);
      assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
    });
  }

  it("that responds with a gzip bomb is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { port, requests } = await raw((socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });
    const { attempt, delivery } = await deliver(at(port));
    assert.equal(delivery.status, "delivered");
    assert.ok((attempt.response ?? "").length <= 2048);
    assert.doesNotMatch(requests[0] ?? "", /accept-encoding/i);
  });

  it("that redirects to itself gets one request per attempt", async () => {
    const { port, requests } = await raw((socket) => {
      socket.write("HTTP/1.1 302 Found\r\nLocation: /hook\r\nContent-Length: 0\r\n\r\n");
    });
    const { attempt } = await deliver(at(port));
    assert.equal(attempt.error, "answered 302; redirects are not followed");
    assert.equal(requests.length, 1);
  });

  it("that does not speak HTTP, or sends headers of more than 16 KB, leads to a failed attempt", async () => {
    for (const [answer, why] of [
      ["220 mail.example.com ESMTP\r\n", /the response is not valid HTTP\/1\.1 \(.+\)$/],
      [`${OK}X: ${"x".repeat(20_000)}\r\n\r\n`, /longer than 16384 bytes$/],
      ["HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", /switches protocols/],
    ] as const) {
      const { port } = await raw((socket) => void socket.write(answer));
      const { attempt, delivery } = await deliver(at(port));
      assert.match(attempt.error ?? "", /^connection failed: /, answer.slice(0, 20));
      assert.match(attempt.error ?? "", why);
      assert.equal(delivery.status, "pending");
    }
  });

  for (const [retryAfter, waitMs] of [
    ["Retry-After: 120\r\n", 120_000],
    ["", 5000],
    ["Retry-After: 999999999\r\n", 86_400_000],
    ["Retry-After: 1\r\n", 5000],
  ] as const) {
    it(`that responds with 429 and Retry-After "${retryAfter.trim()}" is retried after ${waitMs / 1000} s`, async () => {
      const { port } = await raw(
        (socket) => void socket.write(`HTTP/1.1 429 Slow\r\n${retryAfter}Content-Length: 0\r\n\r\n`),
      );
      const { attempt, delivery, clock } = await deliver(at(port));
      assert.deepEqual([attempt.statusCode, delivery.dueMs], [429, clock.now() + waitMs]);
    });
  }

  it("that closes its connections gets new ones, and one that keeps them is reached over the same", async () => {
    const sockets = new Set<Socket>();
    const { port } = await raw((socket) => {
      sockets.add(socket);
      socket.write(`${OK}Content-Length: 0\r\n\r\n`);
    });
    const clock = new SimulatedClock();
    const store = await FakeWebhookStore.open();
    const webhooks = createWebhooks({ store: fakeStore(store), clock, allowCidrs: ["127.0.0.0/8"] });
    webhooks.start();
    open.push(() => webhooks.close(0));
    const { registration } = await webhooks.create({ url: at(port) });
    for (let count = 1; count <= 5; count++) {
      await webhooks.ping(registration.id);
      await until(() => store.attemptRows.length === count, `delivery ${count}`);
    }
    assert.equal(sockets.size, 1);
    assert.deepEqual(Object.keys(store.attemptRows[0]?.timings ?? {}), ["connect", "first_byte"]);
    assert.deepEqual(Object.keys(store.attemptRows[1]?.timings ?? {}), ["first_byte"]);
    for (const socket of sockets) socket.destroy();
    await webhooks.ping(registration.id);
    await until(() => store.attemptRows.length === 6, "the next attempt");
    assert.deepEqual([store.attemptRows[5]?.statusCode, sockets.size], [200, 2]);
  });
});
