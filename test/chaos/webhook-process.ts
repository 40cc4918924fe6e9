/**
 * The process that `webhook-kill.test.ts` kills: an app on the database of its order that starts graphs at a steady rate and
 * tells of each one that was acknowledged (`+<number> <graph>`); `finished` once nothing is left to deliver.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, worker } from "svc";

export interface Order {
  folder: string;
  /** Of the receiver. */
  url: string;
  /** Numbers of the first and last graph. */
  from: number;
  to: number;
  perSecond: number;
}

const TICK_MS = 10;

async function main({ folder, url, from, to, perSecond }: Order): Promise<void> {
  const app = createApp({
    workers: [worker("note", (input: { number: number }) => input)],
    env: {
      SVC_DATA_DIR: folder,
      SVC_WEBHOOK_URLS: url,
      SVC_WEBHOOK_SECRET: "a-secret-for-chaos-0123456789",
      SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_LOG_LEVEL: "error",
    },
    // An attempt that meets a receiver in trouble is tried again soon, so that the end is soon seen.
    webhookSchedule: ["0s", "1s", "1s", "1s", "1s", "1s", "1s", "1s"],
  });
  await app.boot();
  const startMs = performance.now();
  const starts: Promise<void>[] = [];
  for (let next = from; next <= to; await sleep(TICK_MS)) {
    const due = from + ((performance.now() - startMs) / 1000) * perSecond;
    for (; next <= to && next < due; next++) starts.push(start(next));
  }
  await Promise.all(starts);
  const pending = new URLSearchParams({ status: "pending", limit: "1" });
  while (app.engine.lanes().some(({ running, waiting }) => running + waiting > 0)) await sleep(TICK_MS);
  while ((await app.webhooks.deliveries(pending)).total > 0) await sleep(10 * TICK_MS);
  await app.close();
  writeSync(1, "finished\n");

  async function start(number: number): Promise<void> {
    const { snapshot } = await app.engine.start("note", { number }, { idempotencyKey: `note-${number}` });
    writeSync(1, `+${number} ${snapshot.graph_id}\n`);
  }
}

const [, , order] = process.argv;
// Imported for its types, too.
if (order?.startsWith("{")) await main(JSON.parse(order) as Order);
