/**
 * The receivers of bench:webhooks, in a separate process: many ports that answer each complete POST with 204 at once, and one
 * that never answers. Bare sockets make it faster than any sender. It reports the number of deliveries and their ages.
 */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { quantile } from "./stats.ts";

export interface SinkReady {
  ports: readonly number[];
  /** Accepts and reads, but never answers. */
  holePort: number;
}

/** Since the last report. */
export interface SinkReport {
  count: number;
  /** From the event to its arrival, in milliseconds. */
  p50Ms: number;
  p99Ms: number;
  /** Deliveries that arrived more than once. */
  repeated: number;
}

const ANSWER = Buffer.from("HTTP/1.1 204 No Content\r\n\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

let ages: number[] = [];
let count = 0;
let repeated = 0;
let seen = new Set<string>();

function note(head: string, body: string): void {
  count++;
  const made = /"timestamp_ms":(\d+)/.exec(body)?.[1];
  if (made !== undefined) ages.push(Date.now() - Number(made));
  const id = /\r\nX-Svc-Delivery: (\S+)/.exec(head)?.[1];
  if (id === undefined) return;
  if (seen.has(id)) repeated++;
  seen.add(id);
}

function serve(socket: Socket): void {
  let deferred = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    deferred = deferred.length === 0 ? bytes : Buffer.concat([deferred, bytes]);
    for (;;) {
      const end = deferred.indexOf(HEAD_END);
      if (end < 0) return;
      const head = deferred.toString("latin1", 0, end);
      const bodyEnd = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (deferred.length < bodyEnd) return;
      note(head, deferred.toString("utf8", end + 4, bodyEnd));
      deferred = deferred.subarray(bodyEnd);
      socket.write(ANSWER);
    }
  });
}

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

process.on("message", () => {
  const report: SinkReport = { count, p50Ms: quantile(ages, 0.5), p99Ms: quantile(ages, 0.99), repeated };
  [ages, count, repeated, seen] = [[], 0, 0, new Set()];
  process.send?.(report);
});

const ports = await Promise.all(Array.from({ length: Number(process.argv[2]) }, () => listen(serve)));
const holePort = await listen((socket) => void socket.on("error", () => socket.destroy()).resume());
const ready: SinkReady = { ports, holePort };
process.send?.(ready);
