/** A run that is about to start: its row, and the transition that inserts it. */
import { createGraphId } from "../../platform/security/random.ts";
import type { Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { NewAudit } from "../../storage/contract/control.ts";
import type { GraphRow, NewEvent, SignalRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { readPriority } from "../definition/definition-checks.ts";
import { concurrencyKeyOf, limitOf, shareOf } from "../definition/flow-control.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { StartOptions, AuditContext } from "../definition/audit-types.ts";
import { readAttributes } from "../definition/run-attributes.ts";
import { summaryOf } from "../definition/summary.ts";
import { auditJson } from "./audit.ts";
import type { Machine } from "./machine.ts";
import { readDuration } from "./read-duration.ts";

/** Each priority point equals a minute's head start, as in the queue of a worker. */
const PRIORITY_MS = 60_000;

/** @throws SvcError for invalid options. */
export function newGraph(definition: GraphDefinition, input: Json, options: StartOptions, nowMs: number): GraphRow {
  const dueMs = dueOf(options, nowMs);
  const limit = limitOf(definition);
  const priority = readPriority(options.priority ?? 0);
  return {
    id: createGraphId(nowMs),
    worker: definition.name,
    // A run that is not due yet waits for its key from then on.
    status: limit && dueMs <= nowMs ? "queued" : "pending",
    phase: "queued",
    epoch: 1,
    pauseNo: 0,
    input,
    result: undefined,
    error: undefined,
    progress: undefined,
    tags: readTags(options.tags),
    idempotencyKey: options.idempotencyKey,
    definition: definition.hash,
    createdMs: nowMs,
    dueMs,
    startedMs: undefined,
    finishedMs: undefined,
    priority,
    parentGraph: options.parent?.graphId,
    parentNode: options.parent?.node,
    forkedFrom: undefined,
    version: definition.options.version,
    timeoutMs: undefined,
    deadlineMs: undefined,
    summary: options.summary === undefined ? undefined : summaryOf(options.summary) || undefined,
    origin: options.origin,
    concurrencyKey: limit && concurrencyKeyOf(definition.name, limit, input),
    queuePosition: limit && dueMs - priority * PRIORITY_MS,
    admittedMs: undefined,
    expiresMs: limit && expiryOf(options.ttl ?? definition.options.ttl, dueMs),
    ...(limit ? shareOf(definition.name, limit, input) : { fairnessKey: undefined, fairnessCost: undefined }),
    attributes: readAttributes(options.attributes),
  };
}

function dueOf({ at, delay }: StartOptions, nowMs: number): number {
  return Math.max(readMs("at", at) ?? nowMs, nowMs) + (delay === undefined ? 0 : readDuration("delay", delay));
}

function expiryOf(ttl: Duration | undefined, dueMs: number): number | undefined {
  return ttl === undefined ? undefined : dueMs + readDuration("ttl", ttl);
}

function readMs(name: string, value: unknown): number | undefined {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) return value;
  throw invalid(name, "must be milliseconds, a number from 0");
}

function readTags(value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((tag) => typeof tag === "string" && tag !== "")) return value as string[];
  throw invalid("tags", "must be an array of texts");
}

function invalid(name: string, problem: string): SvcError {
  return new SvcError("SVC_INVALID", `"${name}" ${problem}`, { issues: [{ path: [name], message: problem }] });
}

/** What is stored with a new run beside its rows. */
export interface FirstParts {
  auditContext?: AuditContext;
  audit?: NewAudit | undefined;
  /** Signals whose events follow `graph.queued`. */
  signals?: readonly SignalRow[];
}

/** Transition that inserts a new run: its rows and the event that it is queued. */
export function firstUnit(machine: Machine, { auditContext, audit, signals = [] }: FirstParts): Transition {
  const { row } = machine;
  const reported = auditJson(auditContext);
  return {
    graphId: row.id,
    insert: { ...row },
    insertNodes: machine.nodes().map((node) => ({ ...node })),
    events: [
      { graphId: row.id, type: "graph.queued", timestampMs: row.createdMs, ...(reported && { data: reported }) },
      ...signals.map((signal) => signalEvent(signal)),
    ],
    ...(signals.length > 0 && { signals: [...signals] }),
    ...(audit && { audit }),
  };
}

function signalEvent({ graphId, name, actor, createdMs }: SignalRow): NewEvent {
  const data = { name, ...(actor !== undefined && { by: actor }) };
  return { graphId, type: "graph.signal", timestampMs: createdMs, data };
}
