/** Deliveries whose bodies are encrypted in the database, and the responses to them. */
import type { DeliveryRow, OutboxRow, WebhookStore } from "../contract/webhook-rows.ts";
import { isPayloadKeyError, type PayloadCipher } from "./payload-cipher.ts";
import { attemptPayloads, deliveryPayloads } from "./payload-rows.ts";
import { opening, sealing, showing } from "./payload-transform.ts";
import { passed } from "./passed.ts";

/** Functions without payloads. Registrations stay readable: each transition reads them. */
const PASSED = [
  "claimant",
  "saveRegistration",
  "changeRegistration",
  "deleteRegistration",
  "registration",
  "registrationByUrl",
  "registrations",
  "known",
  "nextDueMs",
  "pendingRegistrations",
  "earlierDueMs",
  "release",
  "requeue",
  "giveUp",
  "requeueFailed",
  "failedOf",
  "lastOutcomes",
  "latestOutcomes",
  "tallies",
  "forgetPings",
  "announce",
] as const satisfies readonly (keyof WebhookStore)[];

/** @param sent the deliveries of commits, by their encrypted form. */
export function encryptedWebhooks(
  store: WebhookStore,
  cipher: PayloadCipher,
  sent: WeakMap<OutboxRow, OutboxRow>,
): WebhookStore {
  const [seal, open, show] = [sealing(cipher), opening(cipher), showing(cipher)];
  const sendable = (row: DeliveryRow): DeliveryRow => {
    try {
      return deliveryPayloads(open, row);
    } catch (error) {
      if (isPayloadKeyError(error)) return withoutBody(row, error);
      throw error;
    }
  };
  return {
    ...passed(store, PASSED),
    addDelivery: (row) => store.addDelivery(deliveryPayloads(seal, row)),
    due: async (...given) => (await store.due(...given)).map(sendable),
    delivery: async (id) => {
      const row = await store.delivery(id);
      return row && deliveryPayloads(open, row);
    },
    listDeliveries: async (query) => {
      const page = await store.listDeliveries(query);
      return { ...page, items: page.items.map((row) => deliveryPayloads(show, row)) };
    },
    recordAttempts: (records) =>
      store.recordAttempts(records.map(({ attempt, change }) => ({ attempt: attemptPayloads(seal, attempt), change }))),
    attempts: async (deliveryId) => (await store.attempts(deliveryId)).map((row) => attemptPayloads(show, row)),
    onOutbox: (listener) =>
      store.onOutbox((ids, added) =>
        listener(
          ids,
          added.map((row) => sent.get(row) ?? deliveryPayloads(open, row)),
        ),
      ),
  };
}

/** The attempt that reads the body fails with the reason, and is tried again later as any other. */
function withoutBody(row: DeliveryRow, error: Error): DeliveryRow {
  const { body: _body, ...rest } = row;
  return {
    ...rest,
    get body(): string {
      throw error;
    },
  };
}
