/**
 * The senders of bench:webhooks, in a separate process: a loop over undici that posts the same bytes and stores nothing, and
 * an app with a database on disk, which provides all figures of svc.
 */
import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, type App } from "svckit";
import { Pool } from "undici";

/** An order; the response to each is {@link Done}. */
export type Order =
  | { kind: "bare"; ports: readonly number[]; count: number; isSigned: boolean }
  | { kind: "open"; folder: string; ports: readonly number[] }
  | { kind: "burst"; count: number }
  | { kind: "paced"; perSecond: number; seconds: number }
  | { kind: "waiting"; port: number; count: number };

export interface Done {
  seconds: number;
  /** Microseconds of processor time. */
  cpuUs: number;
  /** Memory growth. */
  rssGrowth: number;
}

/** Connections of each pool, as many as svc opens to one endpoint. */
const CONNECTIONS = 8;
/** Concurrent writes of events. */
const PRODUCING = 256;
const STILL_MS = 2000;
/** Rare, because counting waiting deliveries is expensive. */
const POLL_MS = 50;

const PAYLOAD = {
  event: "ping",
  graph_id: "g_01jz3v9k2m5n8p0q4r6s7t9w1x",
  worker: "ping",
  status: "done",
  timestamp_ms: Date.now(),
  duration_ms: 0,
  result: {},
};
const BODY = JSON.stringify(PAYLOAD);
const PLAIN = { "Content-Type": "application/json" };
const SECRET = "s".repeat(64);

/** A handwritten equivalent of svc's request: a body, an id and both signatures of each delivery. */
function signed(): { headers: Record<string, string>; body: string } {
  const nowMs = Date.now();
  const [id, seconds] = [`msg_${randomBytes(16).toString("hex")}`, Math.floor(nowMs / 1000)];
  const body = JSON.stringify({ ...PAYLOAD, timestamp_ms: nowMs });
  const sign = (text: string, encoding: "hex" | "base64"): string =>
    createHmac("sha256", SECRET).update(text).digest(encoding);
  // A literal: spreading and extending an object with so many fields takes 5 µs.
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "bare",
    "X-Svc-Event": PAYLOAD.event,
    "X-Svc-Delivery": id,
    "X-Svc-Attempt": "1",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "X-Svc-Signature": `sha256=${sign(body, "hex")}`,
    "webhook-signature": `v1,${sign(`${id}.${seconds}.${body}`, "base64")}`,
  };
  return { headers, body };
}

async function bare(ports: readonly number[], count: number, isSigned: boolean): Promise<void> {
  const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 }));
  let left = count;
  const post = async (pool: Pool): Promise<void> => {
    while (left-- > 0) {
      const sent = isSigned ? signed() : { headers: PLAIN, body: BODY };
      const { body } = await pool.request({ path: "/hook", method: "POST", ...sent });
      await body.dump();
    }
  };
  await Promise.all(pools.flatMap((pool) => Array.from({ length: CONNECTIONS }, () => post(pool))));
  await Promise.all(pools.map((pool) => pool.close()));
}

let app: App | undefined;
let ids: string[] = [];

async function register(port: number): Promise<string> {
  const { registration } = await opened().webhooks.create({ url: `http://127.0.0.1:${port}/hook` });
  return registration.id;
}

function opened(): App {
  if (!app) throw new Error("the first order is to open");
  return app;
}

async function open(folder: string, ports: readonly number[]): Promise<void> {
  const env = { SVC_DATA_DIR: folder, SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", SVC_WEBHOOK_SECRET: SECRET };
  app = createApp({ env: { ...env, NODE_ENV: "production", SVC_LOG_LEVEL: "silent" } });
  await app.boot();
  ids = [];
  for (const port of ports) ids.push(await register(port));
}

async function pendingOf(): Promise<number> {
  return (await opened().webhooks.deliveries(new URLSearchParams({ status: "pending", limit: "1" }))).total;
}

async function emit(to: readonly string[], count: number): Promise<void> {
  let made = 0;
  const produce = async (): Promise<void> => {
    while (made < count) await opened().webhooks.ping(to[made++ % to.length] ?? "");
  };
  await Promise.all(Array.from({ length: PRODUCING }, produce));
}

/** From the first event until the attempt of the last one is stored. */
async function burst(count: number): Promise<void> {
  await emit(ids, count);
  while ((await pendingOf()) > 0) await sleep(POLL_MS);
}

async function paced(perSecond: number, seconds: number): Promise<void> {
  const startMs = performance.now();
  const sent: Promise<unknown>[] = [];
  while (sent.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startMs) / 1000) * perSecond));
    while (sent.length < due) sent.push(opened().webhooks.ping(ids[sent.length % ids.length] ?? ""));
    await sleep(1);
  }
  await Promise.all(sent);
  await untilStill();
}

/** Until deliveries stop: some receivers never respond. */
async function untilStill(): Promise<void> {
  for (let before = -1, now = await pendingOf(); now > 0 && now !== before;) {
    before = now;
    await sleep(STILL_MS);
    now = await pendingOf();
  }
}

/** Deliveries to a dead receiver. */
async function waiting(port: number, count: number): Promise<void> {
  await emit([await register(port)], count);
}

async function run(order: Order): Promise<void> {
  if (order.kind === "bare") return bare(order.ports, order.count, order.isSigned);
  if (order.kind === "open") return open(order.folder, order.ports);
  if (order.kind === "burst") return burst(order.count);
  if (order.kind === "paced") return paced(order.perSecond, order.seconds);
  return waiting(order.port, order.count);
}

/** Two collections: the first finalizes objects, the second frees them. */
function rss(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

process.on("message", (order: Order) => {
  const before = rss(); // Read first, so that its own cost is not part of the result.
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  run(order).then(
    () => {
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - startMs) / 1000;
      const done: Done = { seconds, cpuUs: user + system, rssGrowth: rss() - before };
      process.send?.(done);
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
