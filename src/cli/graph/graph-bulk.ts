/** `svc graph bulk`: one command for all runs that a filter selects. Without `--yes`, it only counts them. */
import type { BulkReport } from "../../graphs/definition/audit-types.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { GraphClient } from "./graph-client.ts";
import type { BulkTask, BulkVerb } from "./graph-filter.ts";
import type { Output } from "../output.ts";

/** Runs for each request: few enough that a request takes a second or two, so progress is visible. */
const SLICE = 1000;

/** Totals over all requests. */
interface Sum {
  action: BulkVerb;
  matched: number;
  changed: number;
  refused: number;
}

/** @returns 0, also if some runs did not allow the command; these are listed. @throws SvcError if the server refuses the request. */
export async function bulk(
  { action, filter, note, isMeant }: BulkTask,
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  const ask = (more: Record<string, Json>): Promise<BulkReport> =>
    client.post(PATHS.graphsBulk, { action, filter, ...(note !== undefined && { note }), ...more });
  const { matched } = await ask({ dry_run: true });
  if (!isMeant) {
    if (json) output.line(JSON.stringify({ action, matched, dry_run: true }));
    else output.line(`${action} would affect ${counted(matched)}${matched === 0 ? "" : "; add --yes to execute it"}`);
    return 0;
  }
  // Purged runs are gone, so every request starts from the beginning.
  const sum = await all(
    action,
    matched,
    (cursor) => ask(action === "purge" ? {} : { limit: SLICE, ...(cursor !== null && { cursor }) }),
    output,
  );
  if (json) output.line(JSON.stringify(sum));
  else output.line(sentence(sum));
  return 0;
}

async function all(
  action: BulkVerb,
  matched: number,
  take: (cursor: string | null) => Promise<BulkReport>,
  output: Output,
): Promise<Sum> {
  const sum: Sum = { action, matched, changed: 0, refused: 0 };
  let cursor: string | null = null;
  do {
    const report = await take(cursor);
    sum.changed += report.changed;
    sum.refused += report.refused;
    cursor = report.next_cursor;
    if (cursor !== null && output.isInteractive) output.error(`${sum.changed + sum.refused} of ${matched} …`);
  } while (cursor !== null);
  return sum;
}

function sentence({ action, changed, refused }: Sum): string {
  const left = refused === 0 ? "" : `; ${counted(refused)} did not allow it`;
  return `${action}: ${counted(changed)}${left}`;
}

function counted(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
