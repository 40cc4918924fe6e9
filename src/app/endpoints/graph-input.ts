/** What callers send to the graph endpoints, checked. */
import type { Context } from "../../http/types.ts";
import { readJson } from "../../http/body.ts";
import { readPriority } from "../../graph/checks.ts";
import type { StartOptions, Steering } from "../../graph/types.ts";
import { SvcError } from "../../shared/errors.ts";
import type { Json } from "../../shared/json.ts";
import { GRAPH_STATUSES } from "../../shared/wire.ts";
import type { GraphQuery } from "../../store/contract.ts";
import { readPage } from "../../webhooks/input.ts";

const START_KEYS = ["worker", "input", "idempotency_key", "delay_ms", "priority", "tags"];
const MAX_KEY_LENGTH = 255;
const MAX_NOTE_LENGTH = 500;
const MAX_NOTE_BYTES = 8 * 1024;
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 100;
/** A year: beyond that it is a mistake in the unit. */
const MAX_DELAY_MS = 366 * 24 * 3_600_000;

/** Of a list: the name in the query, and in the store's. */
const TEXT_FILTERS = [
  ["worker", "worker"],
  ["tag", "tag"],
  ["parent", "parent"],
  ["error", "error"],
  ["id", "idPrefix"],
] as const;

export interface StartInput {
  worker: string;
  input: Json;
  options: StartOptions;
}

/** @throws SvcError `SVC_INVALID` naming the key. */
export function readStart(body: Json): StartInput {
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw new SvcError("SVC_INVALID", `The body must be a JSON object with the keys ${START_KEYS.join(", ")}`);
  }
  const unknown = Object.keys(body).find((key) => !START_KEYS.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `is no key of this body; allowed are ${START_KEYS.join(", ")}`);
  const { worker, input, idempotency_key: key, delay_ms: delayMs, priority, tags } = body;
  if (typeof worker !== "string" || worker === "") throw invalid("worker", "must be the name of a worker or graph");
  const options: StartOptions = {};
  if (key !== undefined) options.idempotencyKey = readText(key, "idempotency_key", MAX_KEY_LENGTH);
  if (delayMs !== undefined) options.delayMs = readDelay(delayMs);
  if (priority !== undefined) options.priority = readPriority(priority);
  if (tags !== undefined) options.tags = readTags(tags);
  return { worker, input: input ?? null, options };
}

/**
 * Why a graph is steered: `{"note": "…"}`; a request without a body says nothing.
 * @throws SvcError `SVC_INVALID`
 */
export async function readNote(ctx: Context): Promise<Pick<Steering, "note">> {
  const body = hasBody(ctx) ? await readJson(ctx, MAX_NOTE_BYTES) : {};
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw invalid("note", "must stand in a JSON object");
  const { note, ...others } = body;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw invalid(unknown, "is no key of this body; allowed is note");
  return note === undefined ? {} : { note: readText(note, "note", MAX_NOTE_LENGTH) };
}

function hasBody(ctx: Context): boolean {
  const length = ctx.header("content-length");
  if (length !== undefined) return length !== "0";
  return ctx.header("transfer-encoding") !== undefined || ctx.header("content-type") !== undefined;
}

export function readGraphQuery(query: URLSearchParams): GraphQuery {
  const { limit, cursor } = readPage(query);
  const result: GraphQuery = { limit };
  if (cursor !== undefined) result.cursor = cursor;
  for (const [name, key] of TEXT_FILTERS) {
    const text = query.get(name);
    if (text !== null) result[key] = text;
  }
  const [status, sinceMs, untilMs] = ["status", "since_ms", "until_ms"].map((name) => query.get(name));
  if (status != null) result.status = readStatus(status);
  if (sinceMs != null) result.sinceMs = readWhole(sinceMs, "since_ms");
  if (untilMs != null) result.untilMs = readWhole(untilMs, "until_ms");
  return result;
}

/** Where a follower left off: the header that browsers send when they reconnect, or `?after=` for the first time. */
export function readLastSeq(ctx: Context): number {
  const header = ctx.header("last-event-id");
  if (header !== undefined) return readWhole(header, "Last-Event-ID");
  const after = ctx.query.get("after");
  return after === null ? 0 : readWhole(after, "after");
}

function readStatus(status: string) {
  const known = GRAPH_STATUSES.find((candidate) => candidate === status);
  if (known) return known;
  throw invalid("status", `is "${status.slice(0, 80)}"; allowed are ${GRAPH_STATUSES.join(", ")}`);
}

function readWhole(text: string, key: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(key, "must be a whole number");
}

function readText(value: Json, key: string, maxLength: number): string {
  if (typeof value === "string" && value !== "" && value.length <= maxLength) return value;
  throw invalid(key, `must be a text of 1 to ${maxLength} characters`);
}

function readDelay(value: Json): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_DELAY_MS) return value;
  throw invalid("delay_ms", `must be a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`);
}

function readTags(value: Json): string[] {
  if (!Array.isArray(value) || value.length > MAX_TAGS)
    throw invalid("tags", `must be an array of at most ${MAX_TAGS} texts`);
  return [...new Set(value.map((tag) => readText(tag, "tags", MAX_TAG_LENGTH)))];
}

function invalid(key: string, problem: string): SvcError {
  return new SvcError("SVC_INVALID", `"${key.slice(0, 80)}" ${problem}`, {
    issues: [{ path: [key], message: problem }],
  });
}
