/**
 * The load generator of bench:http, in a separate process: keeps connections busy, one request at a time on each, and
 * counts complete responses. It uses bare sockets, so it is faster than any server under test.
 */
import { connect, type Socket } from "node:net";
import { quantile } from "./stats.ts";

export interface LoadOrder {
  port: number;
  /** One request per connection, as raw bytes. */
  requests: readonly string[];
  /** Expected status of each response. */
  status: number;
  /** Requests per connection. */
  times: number;
}

export interface Load {
  count: number;
  seconds: number;
  p99Ms: number;
  /** Error message, if the load failed. */
  error?: string;
}

/** Number of stored latencies; more would only use memory. */
const MAX_LATENCIES = 100_000;

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** Finds the ends of consecutive responses in the bytes of a connection. */
export class AnswerReader {
  readonly #status: string;
  #deferred: Buffer | undefined;
  /** Missing bytes of the body; -1 if it ends with a last chunk; undefined while the head is read. */
  #left: number | undefined;

  constructor(status: number) {
    this.#status = String(status);
  }

  /** @returns whether the response is complete. @throws for an invalid response */
  push(bytes: Buffer): boolean {
    let data = this.#deferred ? Buffer.concat([this.#deferred, bytes]) : bytes;
    this.#deferred = undefined;
    if (this.#left === undefined) {
      const end = data.indexOf(HEAD_END);
      if (end < 0) return this.#hold(data);
      this.#left = this.#lengthOf(data.toString("latin1", 0, end + 2));
      data = data.subarray(end + 4);
    }
    if (this.#left >= 0) this.#left -= data.length;
    else if (!data.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return this.#hold(data.subarray(-4));
    else this.#left = 0;
    if (this.#left < 0) throw new Error("an answer is longer than it says");
    if (this.#left > 0) return false;
    this.#left = undefined;
    return true;
  }

  #hold(data: Buffer): false {
    this.#deferred = data;
    return false;
  }

  #lengthOf(head: string): number {
    if (!head.startsWith(this.#status, 9)) throw new Error(`answered ${head.slice(0, 300)}`);
    if (this.#status === "304") return 0;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length !== undefined) return Number(length);
    if (/^transfer-encoding: *chunked/im.test(head)) return -1;
    throw new Error(`no length: ${head}`);
  }
}

/** One connection. @returns its number of responses */
function keepBusy(order: LoadOrder, request: string, latencies: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader(order.status);
    let count = 0;
    let sentAt = 0;
    const socket: Socket = connect({ port: order.port, host: "127.0.0.1", noDelay: true });
    const send = (): void => {
      sentAt = performance.now();
      socket.write(request, "latin1");
    };
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    socket.on("connect", send);
    socket.on("error", fail);
    socket.on("close", () => fail("the server closed the connection"));
    socket.on("data", (bytes) => {
      try {
        if (!reader.push(bytes)) return;
      } catch (error) {
        return fail(error);
      }
      count++;
      const now = performance.now();
      if (latencies.length < MAX_LATENCIES) latencies.push(now - sentAt);
      if (count < order.times) return send();
      socket.destroy();
      resolve(count);
    });
  });
}

async function run(order: LoadOrder): Promise<Load> {
  const began = performance.now();
  const latencies: number[] = [];
  const counts = await Promise.all(order.requests.map((request) => keepBusy(order, request, latencies)));
  const seconds = (performance.now() - began) / 1000;
  return { count: counts.reduce((sum, each) => sum + each, 0), seconds, p99Ms: quantile(latencies, 0.99) };
}

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (load) => process.send?.(load),
    (error: unknown) => process.send?.({ count: 0, seconds: 0, p99Ms: 0, error: String(error) } satisfies Load),
  );
});
