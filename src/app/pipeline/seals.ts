/** Seals values that an app hands out and gets back unchanged, for a purpose and a lifetime. platform/security/seal.ts encrypts them. */
import { Sealer } from "../../platform/security/seal.ts";
import { durationMs, type Clock, type Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Secrets } from "../../platform/security/secrets.ts";

interface Seals {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Separates the app's purposes from the framework's own. */
const PREFIX = "app ";

export function sealFor({ secrets, clock }: Seals, purpose: string, value: Json, lifetime: Duration): string {
  const untilMs = clock.now() + durationMs(lifetime);
  return new Sealer(secrets, PREFIX + purpose).seal(JSON.stringify([untilMs, value]));
}

export function unsealFor({ secrets, clock }: Seals, purpose: string, rawText: string): Json | undefined {
  const opened = new Sealer(secrets, PREFIX + purpose).unseal(rawText);
  if (!opened) return undefined;
  // Only this app can have sealed it.
  const [untilMs, value] = JSON.parse(opened.text) as [number, Json];
  return untilMs > clock.now() ? value : undefined;
}
