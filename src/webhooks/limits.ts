/** Validates the app's options of deliveries: connections, size of bodies, the common secret. */
import { SvcError } from "../platform/shared/errors.ts";
import { VARIABLES } from "../platform/shared/wire.ts";
import { DEFAULT_LIMITS, MOST_CONNECTIONS, type DeliveryLimits } from "./delivery/delivery-queues.ts";
import { MAX_PAYLOAD_BYTES, PAYLOAD_BYTES } from "./outbox/payload.ts";
import { secretProblem } from "./signing/sign.ts";

/** Adds defaults. @throws SvcError `SVC_CONFIG` */
export function readLimits(given: Partial<DeliveryLimits> = {}): DeliveryLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isInteger(value) && value >= 1 && value <= MOST_CONNECTIONS) continue;
    throw new SvcError(
      "SVC_CONFIG",
      `webhook connections: ${name} is ${String(value)}; give a whole number from 1 to ${MOST_CONNECTIONS}`,
    );
  }
  return limits;
}

/** @throws SvcError `SVC_CONFIG` */
export function readPayloadBytes(given = MAX_PAYLOAD_BYTES): number {
  const { min, max } = PAYLOAD_BYTES;
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw new SvcError("SVC_CONFIG", `webhookPayloadBytes is ${given}; give a whole number from ${min} to ${max}`);
}

/** @throws SvcError `SVC_CONFIG` for an invalid secret with the prefix of a standard one */
export function checkCommonSecret(secret: string | undefined): void {
  if (secret === undefined || !secret.startsWith("whsec_")) return;
  const problem = secretProblem(secret);
  if (problem) throw new SvcError("SVC_CONFIG", `${VARIABLES.webhookSecret} ${problem}`);
}
