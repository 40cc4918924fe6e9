/** Bulk commands for runs over HTTP. */
import { json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import type { BulkAction, BulkOptions } from "../../graphs/definition/audit-types.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { PurgeQuery } from "../../storage/contract/queries.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import type { Endpoints, Services } from "../services.ts";
import { recordAudit } from "./audit.ts";
import { invalid, readGraphQuery, readObject, readAuditContext, readText, readWhole } from "./graph-input.ts";

const ACTIONS: readonly BulkAction[] = ["pause", "resume", "cancel", "retry"];
const PURGE = "purge";
const PURGE_KEYS = ["worker", "status", "tag", "finished_before_ms"];
const ENDED = ["done", "failed", "cancelled"] as const;
const KEYS = ["action", "filter", "dry_run", "limit", "cursor"];
const FILTER_KEYS = [
  "worker",
  "status",
  "tag",
  "attributes",
  "since_ms",
  "until_ms",
  "id",
  "error",
  "summary",
  "origin",
  "parent",
  "longer_ms",
  "shorter_ms",
  "finished_since_ms",
  "finished_until_ms",
];
const MOST = 10_000;
const MAX_TEXT_LENGTH = 500;

export function bulkEndpoint({ router, services }: Endpoints): void {
  router.add("POST", PATHS.graphsBulk, (ctx) => run(ctx, services), [operatorOnly(services)]);
}

async function run(ctx: Context, services: Services): Promise<Result> {
  const { auditContext, body } = await readAuditContext(ctx, services, KEYS);
  const { action, filter, dry_run: isDryRun = false, limit, cursor } = body;
  if (typeof isDryRun !== "boolean") throw invalid("dry_run", "must be true or false");
  // A missing filter may be a mistake; an empty one selects all.
  if (filter === undefined) throw invalid("filter", "must be an object; {} selects all graphs");
  if (action === PURGE) return purge(ctx, services, filter, { isDryRun, note: auditContext.note });
  const step = ACTIONS.find((known) => known === action);
  if (!step) throw invalid("action", `must be one of ${[...ACTIONS, PURGE].join(", ")}`);
  const options: BulkOptions = { ...auditContext, filter: readFilter(filter), isDryRun };
  if (limit !== undefined) options.limit = readLimit(limit);
  if (cursor !== undefined) options.cursor = readText(cursor, "cursor", MAX_TEXT_LENGTH);
  return json(await services.engine.bulk(step, options));
}

/** Deletes ended runs. Until it is done, `matched` is the maximum. */
async function purge(
  ctx: Context,
  services: Services,
  filter: Json,
  { isDryRun, note }: { isDryRun: boolean; note: string | undefined },
): Promise<Result> {
  const { engine, clock } = services;
  const query = readPurge(filter, clock.now() + 1);
  const { finishedBeforeMs: untilMs, status, ...rest } = query;
  // Runs that had ended by then existed by then.
  const pages = (status ? [status] : ENDED).map((one) => engine.list({ ...rest, status: one, untilMs, limit: 1 }));
  const matched = (await Promise.all(pages)).reduce((all, { total }) => all + total, 0);
  const changed = isDryRun ? 0 : await engine.purge(query);
  if (!isDryRun)
    await recordAudit(ctx, services, "graphs.purge", "*", {
      ...(note !== undefined && { note }),
      data: { filter, changed },
    });
  return json({
    action: PURGE,
    matched,
    changed,
    refused: isDryRun ? 0 : matched - changed,
    dry_run: isDryRun,
    next_cursor: null,
  });
}

function readPurge(filter: Json, nowMs: number): PurgeQuery {
  const { worker, status, tag, finished_before_ms: beforeMs } = readObject(filter, PURGE_KEYS);
  const query: PurgeQuery = { finishedBeforeMs: nowMs };
  if (beforeMs !== undefined) query.finishedBeforeMs = readWhole(String(beforeMs), "finished_before_ms");
  if (worker !== undefined) query.worker = readText(worker, "worker", MAX_TEXT_LENGTH);
  if (tag !== undefined) query.tag = readText(tag, "tag", MAX_TEXT_LENGTH);
  const ended = ENDED.find((known) => known === status);
  if (ended) query.status = ended;
  else if (status !== undefined)
    throw invalid("status", "must be done, failed or cancelled; active runs can't be deleted");
  return query;
}

/** In the format of the list's query. */
function readFilter(filter: Json): BulkOptions["filter"] {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(readObject(filter, FILTER_KEYS))) {
    if (typeof value !== "string" && typeof value !== "number") throw invalid(key, "must be a string or a number");
    query.set(key, String(value));
  }
  const { limit: _limit, ...found } = readGraphQuery(query);
  return found;
}

function readLimit(limit: Json): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw invalid("limit", `must be a whole number from 1 to ${MOST}`);
}
