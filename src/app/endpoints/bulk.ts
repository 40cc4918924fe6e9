/** The same step for many graphs over HTTP. */
import { json } from "../../http/response.ts";
import type { Context, Result } from "../../http/types.ts";
import type { BulkAction, BulkOptions } from "../../graph/types.ts";
import type { Json } from "../../shared/json.ts";
import { PATHS } from "../../shared/wire.ts";
import { operatorOnly } from "../auth.ts";
import type { Endpoints, Services } from "../services.ts";
import { invalid, readGraphQuery, readObject, readSteering, readText } from "./graph-input.ts";

const ACTIONS: readonly BulkAction[] = ["pause", "resume", "cancel", "retry"];
const KEYS = ["action", "filter", "dry_run", "limit", "cursor"];
const FILTER_KEYS = ["worker", "status", "tag", "since_ms", "until_ms", "id", "error", "parent"];
const MOST = 10_000;
const MAX_TEXT_LENGTH = 500;

export function bulkEndpoint({ router, services }: Endpoints): void {
  router.add("POST", PATHS.graphsBulk, (ctx) => run(ctx, services), [operatorOnly(services)]);
}

async function run(ctx: Context, services: Services): Promise<Result> {
  const { steering, body } = await readSteering(ctx, services, KEYS);
  const { action, filter, dry_run: isDryRun = false, limit, cursor } = body;
  const step = ACTIONS.find((known) => known === action);
  if (!step) throw invalid("action", `must be one of ${ACTIONS.join(", ")}`);
  if (typeof isDryRun !== "boolean") throw invalid("dry_run", "must be true or false");
  // That it is missing may be a slip; that all are meant is said by an empty one.
  if (filter === undefined) throw invalid("filter", "must be an object; {} is all graphs");
  const options: BulkOptions = { ...steering, filter: readFilter(filter), isDryRun };
  if (limit !== undefined) options.limit = readLimit(limit);
  if (cursor !== undefined) options.cursor = readText(cursor, "cursor", MAX_TEXT_LENGTH);
  return json(await services.engine.bulk(step, options));
}

/** As the list takes it in its query. */
function readFilter(filter: Json): BulkOptions["filter"] {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(readObject(filter, FILTER_KEYS))) {
    if (typeof value !== "string" && typeof value !== "number") throw invalid(key, "must be a text or a number");
    query.set(key, String(value));
  }
  const { limit: _limit, ...found } = readGraphQuery(query);
  return found;
}

function readLimit(limit: Json): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw invalid("limit", `must be a whole number from 1 to ${MOST}`);
}
