/**
 * The process that `webhook-kill.test.ts` kills: an app that starts runs at a steady rate and prints `+<number> <id>` for each acknowledged
 * one, and `finished` once everything is delivered.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp } from "svckit";
import { worker } from "svckit/graph";
import type { Engine } from "svckit/graph";

export interface Order {
  folder: string;
  /** URL of the receiver. */
  url: string;
  /** Numbers of the first and last run. */
  from: number;
  to: number;
  perSecond: number;
}

const TICK_MS = 10;
const UNDER_WAY = ["pending", "running"] as const;

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
    // Failed deliveries are retried soon, to keep the test short.
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
  // Queries the store, because a run that has ended in memory still has to be committed together with its delivery.
  while (await isActive(app.engine)) await sleep(10 * TICK_MS);
  while ((await app.webhooks.deliveries(pending)).total > 0) await sleep(10 * TICK_MS);
  await app.close();
  writeSync(1, "finished\n");

  async function start(number: number): Promise<void> {
    const { snapshot } = await app.engine.start("note", { number }, { idempotencyKey: `note-${number}` });
    writeSync(1, `+${number} ${snapshot.graph_id}\n`);
  }
}

async function isActive(engine: Pick<Engine, "list">): Promise<boolean> {
  // In the order in which a run's status changes, so that no run is missed between two queries.
  for (const status of UNDER_WAY) if ((await engine.list({ worker: "note", status, limit: 1 })).total > 0) return true;
  return false;
}

const [, , order] = process.argv;
// Also imported for its types.

if (order?.startsWith("{")) await main(JSON.parse(order) as Order);
