/**
 * Gives up a delivery on an operator's command: it has failed, and can be replayed like any failed one. If a running attempt succeeds, it
 * counts; otherwise there is no further attempt.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { DeliveryRow, WebhookStore } from "../../storage/contract/webhook-rows.ts";
import type { Registry } from "../registration/registry.ts";

export interface GiveUpOptions {
  store: WebhookStore;
  clock: Clock;
  registry: Registry;
  /** @throws SvcError `SVC_NOT_FOUND` */
  known: (id: string) => Promise<DeliveryRow>;
  /** Called with the registration of the delivery. */
  onGivenUp: (registrationId: string) => void;
}

/** @returns the delivery afterwards. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` with its state if it is not pending */
export async function giveUp(id: string, options: GiveUpOptions): Promise<DeliveryRow> {
  const { store, clock, registry, known, onGivenUp } = options;
  // A delivery that is pending after a refusal was replayed in between, and can be given up now.
  while (!(await store.giveUp(id))) requirePending(await known(id));
  const row = await known(id);
  const { registrationId, graphId } = row;
  onGivenUp(registrationId);
  if (registry.find(registrationId)?.ordered === true) await store.release(registrationId, graphId, clock.now());
  return row;
}

function requirePending({ id, status }: DeliveryRow): void {
  if (status === "pending") return;
  throw new SvcError("SVC_TRANSITION", `The delivery ${id} is ${status}; only a pending delivery can be given up`);
}
