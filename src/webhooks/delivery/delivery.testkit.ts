/** Webhooks over real HTTP on loopback with a simulated clock, for tests of deliveries. */
import assert from "node:assert/strict";
import type { OutboxRows } from "../../graphs/machine/report-types.ts";
import { SimulatedClock, type Duration } from "../../platform/shared/clock.ts";
import { recordLog } from "../../testing/log.ts";
import { createReceiver, type Receiver, type ReceiverOptions } from "../../testing/receiver.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { createWebhooks, type Webhooks, type WebhooksOptions } from "../webhooks.ts";

export const SECRET = "a-secret-for-tests-0123456789";
/** Real time, for a busy machine. */
const PATIENCE_MS = 30_000;
const SCHEDULE: Duration[] = ["0s", "5s", "5m"];
/** A transition that sends webhooks. */
export const LIFECYCLE: Parameters<OutboxRows>[0] = {
  event: "graph.done",
  graphId: "g_01",
  worker: "audit",
  status: "done",
  timestampMs: 0,
  durationMs: 4200,
  result: { ok: true },
  error: undefined,
  epoch: 1,
  pauseNo: 0,
};

export interface Rig {
  clock: SimulatedClock;
  store: FakeWebhookStore;
  webhooks: Webhooks;
  logged: readonly string[];
  /** Starts a receiver and registers it. */
  receiver(options?: ReceiverOptions): Promise<Receiver & { id: string }>;
  /** Writes outbox rows as the commit of a run does. */
  emit(count?: number): Promise<void>;
  /** Waits for a condition in real time, because sockets are real. */
  until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void>;
}

/** Resources to close after a test. */
export const open: (() => Promise<void>)[] = [];
/** Closes everything that a test has opened. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

export async function rig(options: Partial<WebhooksOptions> = {}, given?: FakeWebhookStore): Promise<Rig> {
  const store = given ?? (await FakeWebhookStore.open());
  const clock = options.clock instanceof SimulatedClock ? options.clock : new SimulatedClock();
  const log = recordLog();
  const webhooks = createWebhooks({
    store: fakeStore(store),
    clock,
    secret: SECRET,
    allowCidrs: ["127.0.0.0/8"],
    schedule: SCHEDULE,
    random: () => 0,
    log,
    ...options,
  });
  webhooks.start();
  open.push(() => webhooks.close());
  return {
    clock,
    store,
    webhooks,
    logged: log.texts,
    receiver: async (receiverOptions) => {
      const receiver = await createReceiver(receiverOptions);
      open.push(() => receiver.close());
      const { registration } = await webhooks.create({ url: receiver.url });
      // A busy machine may take long to load the client with the first attempt.
      const { received } = receiver;
      return Object.assign(receiver, {
        id: registration.id,
        received: (count: number) => received(count, PATIENCE_MS),
      });
    },
    emit: async (count = 1) => {
      for (let graph = 0; graph < count; graph++) {
        const rows = webhooks.outboxRows({ ...LIFECYCLE, graphId: `g_${graph}`, timestampMs: clock.now() });
        await Promise.all(rows.map((row) => store.addDelivery(row)));
      }
    },
    until: async (isTrue, what) => {
      const endMs = Date.now() + PATIENCE_MS;
      while (!(await isTrue())) {
        assert.ok(Date.now() < endMs, `waited ${PATIENCE_MS} ms for: ${what}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

export const deliveriesOf = async ({ webhooks }: Rig, id?: string) =>
  (await webhooks.deliveries(new URLSearchParams(), id)).deliveries;
