/** Validates the input of the run endpoints. */
import type { Context } from "../../platform/http/types.ts";
import { readJson } from "../../platform/http/body/read-body.ts";
import { readPriority } from "../../graphs/definition/definition-checks.ts";
import type { StartOptions, AuditContext } from "../../graphs/definition/audit-types.ts";
import { parseAttributeFilter } from "../../graphs/definition/attribute-text.ts";
import { readAttributes } from "../../graphs/definition/run-attributes.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { GRAPH_ORIGINS, RUN_STATUSES } from "../../platform/shared/wire.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";
import { actorOf } from "../pipeline/operator-auth.ts";
import type { Services } from "../services.ts";
import { readPage } from "../../webhooks/registration/input.ts";

const START_KEYS = [
  "worker",
  "input",
  "idempotency_key",
  "delay_ms",
  "ttl_ms",
  "at",
  "priority",
  "tags",
  "attributes",
  "summary",
  "parent",
  "note",
];
export const MAX_KEY_LENGTH = 255;
const MAX_NOTE_LENGTH = 500;
const MAX_NOTE_BYTES = 8 * 1024;
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 100;
/** Long enough to report that it was cut. */
const MAX_GIVEN_SUMMARY = 2000;
/** A year: more is a mistake in the unit. */
const MAX_DELAY_MS = 366 * 24 * 3_600_000;

/** Filters of a list: name in the query, and in the store's query. */
const TEXT_FILTERS = [
  ["worker", "worker"],
  ["tag", "tag"],
  ["parent", "parent"],
  ["error", "error"],
  ["summary", "summary"],
  ["id", "idPrefix"],
] as const;

const NUMBER_FILTERS = [
  ["longer_ms", "longerMs"],
  ["shorter_ms", "shorterMs"],
  ["finished_since_ms", "finishedSinceMs"],
  ["finished_until_ms", "finishedUntilMs"],
] as const;

export interface StartInput {
  worker: string;
  input: Json;
  options: StartOptions;
}

/** @throws SvcError `SVC_INVALID` naming the key. */
export function readStart(body: Json): StartInput {
  const fields = readObject(body, START_KEYS);
  const {
    worker,
    input,
    idempotency_key: key,
    delay_ms: delayMs,
    ttl_ms: ttlMs,
    at,
    priority,
    tags,
    attributes,
    summary,
    parent,
    note,
  } = fields;
  if (typeof worker !== "string" || worker === "") throw invalid("worker", "must be the name of a worker or graph");
  const options: StartOptions = {};
  if (key !== undefined) options.idempotencyKey = readText(key, "idempotency_key", MAX_KEY_LENGTH);
  if (delayMs !== undefined) options.delay = readMs(delayMs, "delay_ms");
  if (ttlMs !== undefined) options.ttl = readMs(ttlMs, "ttl_ms");
  if (priority !== undefined) options.priority = readPriority(priority);
  if (at !== undefined) options.at = readTime(at, "at");
  if (tags !== undefined) options.tags = readTags(tags);
  if (attributes !== undefined) options.attributes = readAttributes(attributes) ?? {};
  if (summary !== undefined) options.summary = readText(summary, "summary", MAX_GIVEN_SUMMARY);
  if (parent !== undefined) options.parent = readParent(parent);
  if (note !== undefined) options.note = readText(note, "note", MAX_NOTE_LENGTH);
  return { worker, input: input ?? null, options };
}

/**
 * Caller and reason of a command: `{"note": "…"}`; a request without a body has none.
 * @param keys keys of the body beside `note`
 * @throws SvcError `SVC_INVALID`
 */
export async function readAuditContext(
  ctx: Context,
  services: Services,
  keys: readonly string[] = [],
  maxBytes = MAX_NOTE_BYTES,
): Promise<{ auditContext: AuditContext; body: Record<string, Json | undefined> }> {
  const { note, ...body } = readObject(hasBody(ctx) ? await readJson(ctx, maxBytes) : {}, [...keys, "note"]);
  const auditContext: AuditContext = { by: actorOf(ctx, services), address: ctx.clientIp };
  if (note !== undefined) auditContext.note = readText(note, "note", MAX_NOTE_LENGTH);
  return { auditContext, body };
}

/** @throws SvcError `SVC_INVALID` for a value that is not an object, or has another key */
export function readObject(body: Json, keys: readonly string[]): Record<string, Json | undefined> {
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new SvcError("SVC_INVALID", `The body must be a JSON object with the keys ${keys.join(", ")}`);
  const unknown = Object.keys(body).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `is not a key of this body; allowed are ${keys.join(", ")}`);
  return body;
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
  const attributes = query.get("attributes");
  if (attributes !== null) result.attributes = parseAttributeFilter(attributes);
  const origin = query.get("origin");
  if (origin !== null) result.origin = readOrigin(origin);
  for (const [name, key] of NUMBER_FILTERS) {
    const text = query.get(name);
    if (text !== null) result[key] = readWhole(text, name);
  }
  return result;
}

/** Last event of a follower: the header that browsers send when they reconnect, or `?after=` at the first request. */
export function readLastSeq(ctx: Context): number {
  const header = ctx.header("last-event-id");
  if (header !== undefined) return readWhole(header, "Last-Event-ID");
  const after = ctx.query.get("after");
  return after === null ? 0 : readWhole(after, "after");
}

function readStatus(status: string) {
  const known = RUN_STATUSES.find((candidate) => candidate === status);
  if (known) return known;
  throw invalid("status", `is "${status.slice(0, 80)}"; allowed are ${RUN_STATUSES.join(", ")}`);
}

function readOrigin(origin: string) {
  const known = GRAPH_ORIGINS.find((candidate) => candidate === origin);
  if (known) return known;
  throw invalid("origin", `is "${origin.slice(0, 80)}"; allowed are ${GRAPH_ORIGINS.join(", ")}`);
}

export function readWhole(text: string, key: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(key, "must be a whole number");
}

export function readText(value: Json | undefined, key: string, maxLength: number): string {
  if (typeof value === "string" && value !== "" && value.length <= maxLength) return value;
  throw invalid(key, `must be a string of 1 to ${maxLength} characters`);
}

/** Reads a duration in milliseconds. */
export function readMs(value: Json, key: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_DELAY_MS) return value;
  throw invalid(key, `must be a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`);
}

/** Unix milliseconds, or ISO 8601 text with an offset. */
export function readTime(value: Json, key: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  const ms =
    typeof value === "string" && /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(value)
      ? Date.parse(value)
      : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(key, "must be Unix milliseconds, or a time such as 2026-03-29T06:00:00Z");
  return ms;
}

function readParent(value: Json): NonNullable<StartOptions["parent"]> {
  const { graph_id: graphId, node } = readObject(value, ["graph_id", "node"]);
  const parent = { graphId: readText(graphId, "graph_id", MAX_KEY_LENGTH) };
  return node === undefined ? parent : { ...parent, node: readText(node, "node", MAX_KEY_LENGTH) };
}

function readTags(value: Json): string[] {
  if (!Array.isArray(value) || value.length > MAX_TAGS)
    throw invalid("tags", `must be an array of at most ${MAX_TAGS} strings`);
  return [...new Set(value.map((tag) => readText(tag, "tags", MAX_TAG_LENGTH)))];
}

export function invalid(key: string, problem: string): SvcError {
  return new SvcError("SVC_INVALID", `"${key.slice(0, 80)}" ${problem}`, {
    issues: [{ path: [key], message: problem }],
  });
}
