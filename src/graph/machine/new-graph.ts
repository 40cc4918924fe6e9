/** The row of a graph that is about to be started. */
import { createGraphId } from "../../security/random.ts";
import type { Json } from "../../shared/json.ts";
import type { GraphRow } from "../../store/graph-rows.ts";
import { readPriority } from "../definition/checks.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { StartOptions } from "../definition/steering-types.ts";
import { summaryOf } from "../definition/summary.ts";

/** @throws SvcError for options that mean nothing. */
export function newGraph(definition: GraphDefinition, input: Json, options: StartOptions, nowMs: number): GraphRow {
  return {
    id: createGraphId(nowMs),
    worker: definition.name,
    status: "pending",
    phase: "queued",
    epoch: 1,
    pauseNo: 0,
    input,
    result: undefined,
    error: undefined,
    progress: undefined,
    tags: options.tags ?? [],
    idempotencyKey: options.idempotencyKey,
    definition: definition.hash,
    createdMs: nowMs,
    dueMs: Math.max(options.at ?? nowMs, nowMs) + (options.delayMs ?? 0),
    startedMs: undefined,
    finishedMs: undefined,
    priority: readPriority(options.priority ?? 0),
    parentGraph: options.parent?.graphId,
    parentNode: options.parent?.node,
    forkedFrom: undefined,
    version: definition.options.version,
    timeoutMs: undefined,
    deadlineMs: undefined,
    summary: options.summary === undefined ? undefined : summaryOf(options.summary) || undefined,
    origin: options.origin,
  };
}
