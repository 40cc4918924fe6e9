/** The values of runs on their way into the bucket and back. payload-rows.ts names them, as for the encryption. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEvent, GraphRow, NewEvent, NodeRow, SignalRow } from "../contract/graph-rows.ts";
import type { Transition } from "../contract/transition.ts";
import type { PayloadTransform } from "../encryption/payload-transform.ts";
import {
  escapedValue,
  isMovable,
  objectOfValue,
  partsOfReference,
  unescapedValue,
  valueReference,
} from "./value-references.ts";

/** An object to be uploaded. */
export interface Upload {
  name: string;
  data: Buffer;
}

/** A character of a string has at most six bytes as JSON (`\u0000`), other values at most a number's length. */
const PER_CHARACTER = 6;
const PER_VALUE = 26;

type Check = (value: Json | undefined) => boolean;

/** Whether a value of a transition fulfils a condition. Most transitions cost only this. */
export function hasValue(
  { insert, graph, nodes, insertNodes, pastNodes, events, signals }: Transition,
  is: Check,
): boolean {
  return (
    (insert !== undefined && inGraph(insert, is)) ||
    (graph !== undefined && inGraph(graph, is)) ||
    [nodes, insertNodes, pastNodes].some((rows) => rows?.some((row) => inNode(row, is))) ||
    (events !== undefined && inEvents(events, is)) ||
    (signals !== undefined && inSignals(signals, is))
  );
}

export function inGraph({ input, result }: Partial<GraphRow>, is: Check): boolean {
  return is(input) || is(result);
}

export function inNode({ input, result, state }: Partial<NodeRow>, is: Check): boolean {
  return is(input) || is(result) || is(state);
}

export function inEvents(events: readonly (NewEvent | GraphEvent)[], is: Check): boolean {
  return events.some(({ data }) => is(data));
}

export function inSignals(signals: readonly SignalRow[], is: Check): boolean {
  return signals.some(({ payload }) => is(payload));
}

/** Whether the JSON of a value may have more bytes than this: an upper bound, so that most values are never written as JSON for it. */
export function mayExceed(value: Json | undefined, bytes: number): boolean {
  return value !== undefined && value !== null && bytesLeft(value, bytes) < 0;
}

function bytesLeft(value: Json, bytes: number): number {
  if (typeof value === "string") return bytes - value.length * PER_CHARACTER - 2;
  if (typeof value !== "object" || value === null) return bytes - PER_VALUE;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = bytesLeft(item, left - 1)) < 0) return left;
    return left;
  }
  for (const key in value) {
    left = bytesLeft(value[key] ?? null, left - key.length * PER_CHARACTER - 4);
    if (left < 0) return left;
  }
  return left;
}

/** Escapes values that stay in the database. */
export const ESCAPING: PayloadTransform = values(escapedValue);

/** Replaces values of more bytes than this by references. @param uploads gets their objects; a value that occurs twice becomes one */
export function moving(newName: () => string, above: number, uploads: Upload[]): PayloadTransform {
  const known = new Map<Json, string>();
  return values((value) => {
    const moved = known.get(value);
    if (moved !== undefined) return moved;
    const data = mayExceed(value, above) ? Buffer.from(JSON.stringify(value)) : undefined;
    if (data === undefined || data.byteLength <= above) return escapedValue(value);
    const name = newName();
    const reference = valueReference(name, value, data.byteLength);
    uploads.push({ name, data });
    known.set(value, reference);
    return reference;
  });
}

/** Changes nothing. @param names gets the names of the objects that are needed */
export function finding(names: Set<string>): PayloadTransform {
  return values((value) => {
    const name = objectOfValue(value);
    if (name !== undefined) names.add(name);
    return value;
  });
}

/** Replaces references. @param read returns the value of an object */
export function resolving(read: (name: string) => Json): PayloadTransform {
  return values((value) => {
    const name = objectOfValue(value);
    return name === undefined ? unescapedValue(value) : read(name);
  });
}

/** Replaces references by a note of their size. */
export const NOTING: PayloadTransform = values((value) =>
  objectOfValue(value) === undefined
    ? unescapedValue(value)
    : `[${partsOfReference(value as string).bytes} bytes, in the bucket]`,
);

/** Errors, summaries and notes stay in the database, which searches them and limits their size. */
function values(change: (value: Json) => Json): PayloadTransform {
  return {
    json: (value, place) => (value === null || !isMovable(place) ? value : change(value)),
    text: (text) => text,
    error: (error) => error,
    bytes: (bytes) => bytes,
  };
}
