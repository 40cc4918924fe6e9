/**
 * Validates the input of the webhook endpoints: bodies of registrations and queries of lists, with their error messages.
 * platform/security/ssrf/ssrf.ts decides whether a URL may be called.
 */
import { SvcError, type ErrorCode } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../platform/shared/wire.ts";
import { readDeliveryCursor } from "../../storage/contract/page.ts";
import type { DeliveryQuery } from "../../storage/contract/webhook-rows.ts";
import type { DeliveryStatus } from "../../storage/contract/webhook-rows.ts";
import { headersProblem } from "./custom-headers.ts";
import { secretProblem } from "../signing/sign.ts";

/** The requested registration; absent keys were not sent. */
export interface RegistrationInput {
  rawUrl?: string;
  events?: WebhookEvent[];
  /** Names of graphs or workers; empty: all. */
  workers?: string[];
  headers?: Record<string, string>;
  ordered?: boolean;
  enabled?: boolean;
  description?: string;
  secret?: string;
}

const MAX_DESCRIPTION_LENGTH = 500;
const MAX_WORKERS = 100;
const MAX_WORKER_LENGTH = 200;
const DELIVERY_STATUSES: readonly DeliveryStatus[] = ["pending", "delivered", "failed"];
const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

type JsonObject = { [key: string]: Json };

/**
 * Reads the body of a registration.
 * @param allowed keys of this endpoint; others are refused, because a misspelt key would silently use its default
 * @throws SvcError `SVC_WEBHOOK_URL`, `SVC_WEBHOOK_EVENT`, `SVC_INVALID`
 */
export function readRegistration(body: Json, allowed: readonly string[]): RegistrationInput {
  const object = readObject(body, allowed);
  const input: RegistrationInput = {};
  if (object["url"] !== undefined)
    input.rawUrl = readText(object["url"], "url", "SVC_WEBHOOK_URL", "an absolute http or https URL");
  if (object["events"] !== undefined) input.events = readEvents(object["events"]);
  if (object["workers"] !== undefined) input.workers = readWorkers(object["workers"]);
  if (object["headers"] !== undefined) input.headers = readHeaders(object["headers"]);
  if (object["ordered"] !== undefined) input.ordered = readBoolean(object["ordered"], "ordered");
  if (object["enabled"] !== undefined) input.enabled = readBoolean(object["enabled"], "enabled");
  if (object["description"] !== undefined) input.description = readDescription(object["description"]);
  const secret = readSecret(object);
  if (secret !== undefined) input.secret = secret;
  return input;
}

/** The `secret` of a body that may contain nothing else. */
export function readSecretOnly(body: Json): string | undefined {
  return readSecret(readObject(body, ["secret"]));
}

/** Start time, and the digest of the deliveries. */
export function readRecover(body: Json): { sinceMs: number; digest: string | undefined } {
  const { since_ms: sinceMs, digest } = readObject(body, ["since_ms", "digest"]);
  return {
    sinceMs: readSinceMs(sinceMs),
    digest: digest === undefined ? undefined : readText(digest, "digest", "SVC_INVALID", "a string"),
  };
}

function readSinceMs(sinceMs: Json | undefined): number {
  if (typeof sinceMs === "number" && Number.isSafeInteger(sinceMs) && sinceMs >= 0) return sinceMs;
  throw invalid("since_ms", "must be a time in Unix milliseconds");
}

/** Limit and cursor of a list. */
export function readPage(query: URLSearchParams): { limit: number; cursor: string | undefined } {
  const limit = query.get("limit");
  const cursor = query.get("cursor") ?? undefined;
  if (limit === null) return { limit: DEFAULT_PAGE, cursor };
  const count = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MAX_PAGE) throw invalid("limit", `must be a whole number from 1 to ${MAX_PAGE}`);
  return { limit: count, cursor };
}

/** Filters of a list of deliveries. */
export function readDeliveryQuery(query: URLSearchParams): DeliveryQuery {
  const { limit, cursor } = readPage(query);
  const result: DeliveryQuery = { limit };
  const [status, event, graphId, sinceMs] = ["status", "event", "graph_id", "since_ms"].map((name) => query.get(name));
  if (cursor !== undefined) result.cursor = readCursor(cursor);
  if (status != null) result.status = oneOf(status, DELIVERY_STATUSES, "status", "SVC_INVALID");
  if (event != null) result.event = oneOf(event, [...WEBHOOK_EVENTS, "ping"], "event", "SVC_WEBHOOK_EVENT");
  if (graphId != null) result.graphId = graphId;
  if (sinceMs != null) result.sinceMs = readSinceMs(/^\d{1,15}$/.test(sinceMs) ? Number(sinceMs) : sinceMs);
  return result;
}

/** An invalid cursor would restart the list from the beginning again and again. */
function readCursor(cursor: string): string {
  if (readDeliveryCursor(cursor)) return cursor;
  throw invalid("cursor", "is not a cursor of a list; omit it to start from the beginning");
}

function readObject(body: Json, allowed: readonly string[]): JsonObject {
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new SvcError("SVC_INVALID", `The body must be a JSON object with the keys ${allowed.join(", ")}`);
  const unknown = Object.keys(body).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `is not a key of this body; allowed are ${allowed.join(", ")}`);
  return body;
}

/** An empty list means all events, like an absent one; repeated names count once. */
function readEvents(value: Json): WebhookEvent[] {
  if (!Array.isArray(value))
    throw invalid("events", `must be an array of ${WEBHOOK_EVENTS.join(", ")}`, "SVC_WEBHOOK_EVENT");
  const events = value.map((event) => oneOf(event, WEBHOOK_EVENTS, "events", "SVC_WEBHOOK_EVENT"));
  return events.length === 0 ? [...WEBHOOK_EVENTS] : [...new Set(events)];
}

/** Any names: a webhook may exist before its worker. Repeated names count once. */
function readWorkers(value: Json): string[] {
  const isList = Array.isArray(value) && value.length <= MAX_WORKERS;
  if (isList && value.every(isWorkerName)) return [...new Set(value)];
  throw invalid("workers", `must be an array of at most ${MAX_WORKERS} names of graphs or workers; omit it for all`);
}

function isWorkerName(value: Json): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_WORKER_LENGTH;
}

function readHeaders(value: Json): Record<string, string> {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw invalid("headers", `must be an object from header names to values`);
  const problem = headersProblem(value);
  if (problem !== undefined) throw invalid("headers", problem);
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function readSecret(object: JsonObject): string | undefined {
  if (object["secret"] === undefined) return undefined;
  const secret = readText(object["secret"], "secret", "SVC_INVALID", "a string");
  const problem = secretProblem(secret);
  if (problem) throw invalid("secret", problem);
  return secret;
}

function readDescription(value: Json): string {
  const text = readText(value, "description", "SVC_INVALID", "a string");
  if (text.length > MAX_DESCRIPTION_LENGTH)
    throw invalid("description", `must have at most ${MAX_DESCRIPTION_LENGTH} characters`);
  return text;
}

function readBoolean(value: Json, key: string): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(key, "must be true or false");
}

function readText(value: Json, key: string, code: ErrorCode, what: string): string {
  if (typeof value === "string") return value;
  throw invalid(key, `must be ${what}`, code);
}

function oneOf<Name extends string>(value: Json, names: readonly Name[], key: string, code: ErrorCode): Name {
  const name = names.find((candidate) => candidate === value);
  if (name !== undefined) return name;
  const shown = JSON.stringify(value).slice(0, 80);
  throw invalid(key, `has ${shown}; allowed are ${names.join(", ")}`, code);
}

function invalid(key: string, problem: string, code: ErrorCode = "SVC_INVALID"): SvcError {
  return new SvcError(code, `"${key.slice(0, 80)}" ${problem}`, { issues: [{ path: [key], message: problem }] });
}
