/**
 * The load of bench:http, a process of its own: keeps connections busy for a while, one request at a time on each, and
 * counts whole answers. Written on bare sockets, so that it does more requests than any server it is pointed at.
 */
import { connect, type Socket } from "node:net";
import { quantile } from "./stats.ts";

export interface LoadOrder {
  port: number;
  /** One request for each connection, as bytes travel. */
  requests: readonly string[];
  /** Each answer must have it. */
  status: number;
  /** How often each connection asks. */
  times: number;
}

export interface Load {
  count: number;
  seconds: number;
  p99Ms: number;
  /** What went wrong, if anything did. */
  error?: string;
}

/** How many latencies are kept: more would be memory, not knowledge. */
const MAX_LATENCIES = 100_000;

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** Finds the end of one answer after the other in the bytes of a connection. */
export class AnswerReader {
  readonly #status: string;
  #deferred: Buffer | undefined;
  /** Bytes of the body still to come; -1 when it ends with a last chunk; undefined while the head is read. */
  #left: number | undefined;

  constructor(status: number) {
    this.#status = String(status);
  }

  /** @returns whether the answer is whole. @throws what is wrong with it. */
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

/** One connection. @returns how many answers it got */
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
