/**
 * A delivery that is given up by hand: it has failed, and can be sent again like any other that has. What an attempt comes to that is under
 * way meanwhile counts, if it arrives; if it does not, there is no other.
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
  /** Told of the registration whose delivery it was. */
  onGivenUp: (registrationId: string) => void;
}

/** @returns the delivery as it is then. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` naming its state where it is not pending */
export async function giveUp(id: string, options: GiveUpOptions): Promise<DeliveryRow> {
  const { store, clock, registry, known, onGivenUp } = options;
  // What was pending when it was looked at after a refusal was sent again in between: it can be given up now.
  while (!(await store.giveUp(id))) requirePending(await known(id));
  const row = await known(id);
  const { registrationId, graphId } = row;
  onGivenUp(registrationId);
  if (registry.find(registrationId)?.ordered === true) await store.release(registrationId, graphId, clock.now());
  return row;
}

function requirePending({ id, status }: DeliveryRow): void {
  if (status === "pending") return;
  throw new SvcError("SVC_TRANSITION", `The delivery ${id} is ${status}; to give it up needs it to be pending`);
}
