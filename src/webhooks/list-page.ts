/** One page of a list in memory that is sorted oldest first. The cursor contains the position of the last item. */
import { SvcError } from "../platform/shared/errors.ts";
import type { Page } from "../storage/contract/queries.ts";

interface Item {
  id: string;
  createdMs: number;
}

/** @throws SvcError `SVC_INVALID` for an invalid cursor */
export function pageOf<Row extends Item>(rows: readonly Row[], limit: number, cursor: string | undefined): Page<Row> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after ? rows.filter((row) => isAfter(row, after)) : rows;
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, total: rows.length, nextCursor: last && rest.length > limit ? cursorOf(last) : undefined };
}

/** Time and id, so that the position stays valid if the item is deleted. */
function cursorOf({ createdMs, id }: Item): string {
  return Buffer.from(`${createdMs}:${id}`).toString("base64url");
}

function readCursor(cursor: string): Item {
  const match = /^(\d{1,16}):(\w{1,80})$/.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  if (!match)
    throw new SvcError("SVC_INVALID", `"cursor" is not a cursor of a list; omit it to start from the beginning`);
  return { createdMs: Number(match[1]), id: match[2] ?? "" };
}

function isAfter(row: Item, place: Item): boolean {
  return row.createdMs > place.createdMs || (row.createdMs === place.createdMs && row.id > place.id);
}
