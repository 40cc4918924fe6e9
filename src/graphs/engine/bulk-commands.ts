/** One command for many runs: selects them by a filter and processes them slice by slice, each as a single command would. */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";
import type { BulkAction, BulkOptions, BulkReport } from "../definition/audit-types.ts";
import { checkedQuery } from "../definition/run-attributes.ts";
import { auditOf } from "../machine/audit.ts";
import { refusalOf } from "../machine/rejected-command.ts";
import type { Steps } from "./runs/run-controls.ts";

/** Runs to count at a time, and how often: a search for rare matches must end. */
const COUNTED = 200;
const MOST_COUNTS = 50;
/** Commands that run concurrently, so that their transitions share commits. */
const SLICE = 100;
/** Most runs of one call, so that it takes seconds. Callers continue with the cursor. */
const MOST = 10_000;

export interface BulkWork {
  store: Pick<Store, "graphs" | "audit">;
  clock: Clock;
  steps: Steps;
}

/**
 * Newest first. A run that does not allow the command when its turn comes counts as refused.
 * @throws errors other than refusals and missing runs: the store has a fault. Earlier changes stay.
 */
export async function bulk(work: BulkWork, action: BulkAction, options: BulkOptions): Promise<BulkReport> {
  const { store, clock, steps } = work;
  const filter = checkedQuery({ nowMs: clock.now(), ...options.filter });
  const report = await steered({ graphs: store.graphs, steps }, action, { ...options, filter });
  if (report.dry_run) return report;
  const { matched, changed } = report;
  const data = { filter: { ...options.filter }, matched, changed };
  await store.audit.add(auditOf(`graphs.${action}`, "*", clock.now(), options, data));
  return report;
}

async function steered(
  { graphs, steps }: { graphs: GraphStore; steps: Steps },
  action: BulkAction,
  { filter, limit = MOST, cursor, isDryRun = false, onProgress, signal, onRefused, ...auditContext }: BulkOptions,
): Promise<BulkReport> {
  const page: ReadPage = (from, size) =>
    graphs.list({ ...filter, limit: size, ...(from === undefined ? {} : { cursor: from }) } satisfies GraphQuery);
  const report: BulkReport = { action, matched: 0, changed: 0, refused: 0, dry_run: isDryRun, next_cursor: null };
  if (isDryRun && cursor === undefined) return { ...report, matched: (await page(cursor, 1)).total };
  if (isDryRun) return { ...report, ...(await counted(page, cursor, Math.min(limit, MOST))) };
  let next = cursor;
  for (let left = Math.min(limit, MOST); left > 0 && signal?.aborted !== true;) {
    const { items, nextCursor, total } = await page(next, Math.min(SLICE, left));
    if (next === cursor) report.matched = total;
    const refusals = await Promise.all(items.map(({ id }) => refusalOf(steps[action](id, auditContext))));
    for (const [at, { id }] of items.entries()) {
      const refusal = refusals[at];
      report[refusal ? "refused" : "changed"]++;
      if (refusal) onRefused?.(id, refusal);
    }
    left -= items.length;
    next = nextCursor;
    await onProgress?.(report);
    if (nextCursor === undefined) break;
  }
  return { ...report, next_cursor: next ?? null };
}

type ReadPage = (cursor: string | undefined, size: number) => ReturnType<GraphStore["list"]>;

/** Counts page by page, because a page's total counts from the newest run and not all runs. */
async function counted(
  page: ReadPage,
  cursor: string | undefined,
  most: number,
): Promise<Pick<BulkReport, "matched" | "next_cursor">> {
  let [matched, next] = [0, cursor];
  for (let count = 0; count < MOST_COUNTS && matched < most; count++) {
    const { items, nextCursor } = await page(next, Math.min(COUNTED, most - matched));
    matched += items.length;
    next = nextCursor;
    if (nextCursor === undefined) break;
  }
  return { matched, next_cursor: next ?? null };
}
