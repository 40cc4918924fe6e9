/** Compares the data of an event with the fields that a receiver wants. */
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../platform/shared/json.ts";

/** Whether the data has all fields of `wanted` with their values, at any depth. Arrays and other values must be equal; null matches all. */
export function matchesEvent(data: Json | undefined, wanted: Json): boolean {
  return wanted === null || hasAll(data, wanted);
}

function hasAll(data: Json | undefined, wanted: Json | undefined): boolean {
  if (wanted === undefined) return true;
  if (!isFields(wanted)) return isDeepStrictEqual(data, wanted);
  if (!isFields(data)) return false;
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(data, name) && hasAll(data[name], value));
}

function isFields(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
