/** Pages of deliveries, newest first: of a webhook, of a run, of an event, or of all. */
import { invariant } from "../../../platform/shared/errors.ts";
import { toDelivery } from "../../contract/columns.ts";
import { deliveryCursor, pageLimit, readDeliveryCursor } from "../../contract/page.ts";
import type { Page } from "../../contract/queries.ts";
import type { Value } from "../../contract/row.ts";
import { MAX_DELIVERY_TOTAL, type DeliveryQuery, type DeliveryRow } from "../../contract/webhook-rows.ts";
import type { Database } from "../database.ts";

export function listDeliveries(database: Database, query: DeliveryQuery): Page<DeliveryRow> {
  const { conditions, values } = conditionsOf(query);
  const some = `SELECT 1 FROM delivery ${where(conditions)} LIMIT ${String(MAX_DELIVERY_TOTAL)}`;
  const counted = database.sql(`SELECT count(*) AS total FROM (${some})`).get(...values);
  const before = readDeliveryCursor(query.cursor);
  if (before) {
    conditions.push("(created_ms, id) < (?, ?)");
    values.push(before.createdMs, before.id);
  }
  const limit = pageLimit(query.limit);
  const rows = database
    .sql(`SELECT * FROM delivery ${where(conditions)} ORDER BY created_ms DESC, id DESC LIMIT ?`)
    .all(...values, limit + 1)
    .map(toDelivery);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    total: Number(counted?.["total"]),
    nextCursor: rows.length > limit && last ? deliveryCursor(last) : undefined,
  };
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
}

function conditionsOf({ registrationId, graphId, status, event, sinceMs }: DeliveryQuery): {
  conditions: string[];
  values: Value[];
} {
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, value: Value | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  // The plus prevents use of the index: a run has few deliveries, a webhook any number.
  add(graphId === undefined ? "registration_id = ?" : "+registration_id = ?", registrationId);
  // Written into the text, because a partial index matches literals only; both have few known values.
  if (status !== undefined) conditions.push(`status = '${wordOf(status)}'`);
  if (event !== undefined) conditions.push(`event = '${wordOf(event)}'`);
  add("graph_id = ?", graphId);
  add("created_ms >= ?", sinceMs);
  return { conditions, values };
}

/** Callers validate their input. Unknown words stay out of the statement nevertheless. */
function wordOf(text: string): string {
  invariant(/^[a-z.]+$/.test(text), `"${text}" is neither a status nor an event`);
  return text;
}
