/** Validates schedules, except for the expression, which cron.ts parses. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { shown } from "../definition/definition-checks.ts";
import { toJson } from "../definition/json-value.ts";
import type { ScheduleDefinition } from "./schedule-types.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isOneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    value === undefined || allowed.includes(value);

const isTime: Check = (value) => {
  try {
    return value === undefined || durationMs(value as Duration) >= 0;
  } catch {
    return false;
  }
};

/** All fields with their rules. An unknown field is rejected, not ignored. */
const FIELDS: Record<keyof ScheduleDefinition, { isFine: Check; use: string }> = {
  name: { isFine: isText, use: 'a text such as "nightly"' },
  worker: { isFine: isText, use: "the name of a worker or graph" },
  cron: { isFine: isText, use: 'a text such as "30 2 * * *"' },
  timeZone: { isFine: (value) => value === undefined || isText(value), use: 'a text such as "Europe/Berlin"' },
  input: { isFine: () => true, use: "JSON" },
  catchUp: { isFine: isOneOf("none", "last", "all"), use: '"none", "last" or "all"' },
  overlap: { isFine: isOneOf("skip", "allow", "buffer", "cancel"), use: '"skip", "allow", "buffer" or "cancel"' },
  jitter: { isFine: isTime, use: 'a duration such as "5m"' },
};

/** @throws SvcError `SVC_INVALID`; TypeError for an input that JSON can't represent. */
export function requireFields(definition: ScheduleDefinition): void {
  const stranger = Object.keys(definition).find((key) => !Object.hasOwn(FIELDS, key));
  if (stranger !== undefined)
    throw invalid(stranger, `it has an unknown option "${stranger}"; known: ${Object.keys(FIELDS).join(", ")}`);
  for (const [key, { isFine, use }] of Object.entries(FIELDS)) {
    const value = definition[key as keyof ScheduleDefinition];
    if (!isFine(value)) throw invalid(key, `${key} is ${shown(value)}; use ${use}`);
  }
  toJson(definition.input, "the input", Infinity);
}

export function invalid(key: string, message: string): SvcError {
  return new SvcError("SVC_INVALID", message, { issues: [{ path: [key], message }] });
}
