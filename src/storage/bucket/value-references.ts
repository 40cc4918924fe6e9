/**
 * A reference to an object, in place of a value of a run or the data of a sent event: `svc:val:1:<bytes>:<payload key>:<name of the object>`. It is a JSON text, so
 * tables, backups and migrations treat it like any other value. A value that begins like one by itself is stored with a prefix, so that
 * nobody can forge a reference.
 */
import type { Json } from "../../platform/shared/json.ts";
import { REFERENCE_MARK } from "../contract/object-references.ts";
import { keyOfText } from "../encryption/payload-cipher.ts";

const MARK = "svc:val:";
const ESCAPED = `${MARK}0:`;
const REFERENCE = /^svc:val:1:\d+:[^:]*:(.+)$/;
/** Columns of runs, and data of sent events. Other payloads have no row with which their objects could be deleted. */
const PLACES = /^(?:graph|node|past_node|event|signal|sent_event)\//;

/** Whether a value at this place (payload-rows.ts) may be an object. */
export function isMovable(place: string): boolean {
  return PLACES.test(place);
}

/**
 * @param stored the value as the object contains it
 * @param bytes its size as JSON
 */
export function valueReference(name: string, stored: Json, bytes: number): string {
  return `${REFERENCE_MARK}${bytes}:${keyOfText(stored) ?? ""}:${name}`;
}

/** Whether a stored value is a reference, or escaped. */
export function isMarkedValue(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(MARK);
}

export function escapedValue(value: Json): Json {
  return isMarkedValue(value) ? ESCAPED + value : value;
}

/** @param value not a reference */
export function unescapedValue(value: Json): Json {
  return typeof value === "string" && value.startsWith(ESCAPED) ? value.slice(ESCAPED.length) : value;
}

/** Name of the object to which a stored value refers; undefined: it is the value itself. */
export function objectOfValue(value: Json): string | undefined {
  return typeof value === "string" ? REFERENCE.exec(value)?.[1] : undefined;
}

/** Size of the object, and name of the payload key that encrypted it; undefined without either. */
export function partsOfReference(value: string): { bytes: number; key: string | undefined } {
  const [bytes, key] = value.slice(REFERENCE_MARK.length).split(":");
  return { bytes: Number(bytes), key: key === "" ? undefined : key };
}
