/**
 * Copies the content of one database into another. Rows are copied table by table; the target stores the progress in the transaction of
 * the rows, so a new process continues after a kill. Then both sides are read again and compared; only then is the target ready and the
 * source closed. move-plan.ts decides the steps.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../platform/shared/clock.ts";
import { invariant, SvcError } from "../../platform/shared/errors.ts";
import { DUMP_TABLES, keyOf, type Dump, type DumpTable } from "../contract/dump.ts";
import { capital, type MigrationState } from "../contract/migration-state.ts";
import { planOf, type Cursor, type Plan } from "./move-plan.ts";
import { batchesOf, checksumOf, type Checksum } from "./row-checksum.ts";

export type MoveEvent =
  | { type: "begun"; from: string; to: string; isResumed: boolean }
  /** At intervals. */
  | { type: "copying" | "checking"; table: string; rows: number; of: number }
  /** A table is the same on both sides. `replaced`: rows with characters that the target can't store, which became U+FFFD. */
  | ({ type: "table"; table: string; replaced: number } & Checksum)
  /** All rows are copied. `jobs`: unfinished runs. */
  | { type: "arrived"; rows: number; jobs: number }
  | { type: "moved"; from: string; to: string }
  /** It was moved before. */
  | { type: "nothing"; from: string; to: string };

export interface MoveOptions {
  source: Dump;
  target: Dump;
  clock: Clock;
  /** Creates jobs for unfinished runs, once all rows are copied. @returns their number. Idempotent. */
  addJobs: () => Promise<number>;
  onEvent: (event: MoveEvent) => void;
  /** For tests: replaces the tables. */
  tables?: readonly DumpTable[];
}

/** @throws SvcError `SVC_MOVE` if it is refused, or the copy differs; `SVC_STORE` */
export async function move(options: MoveOptions): Promise<void> {
  const { source, target, onEvent } = options;
  const plan = await planFor(options);
  if (plan.kind === "refuse") throw refused(plan.reason);
  if (plan.kind === "nothing") return onEvent({ type: "nothing", from: source.label, to: target.label });
  const id = plan.id ?? randomUUID();
  if (plan.kind !== "close") await fill(options, id, plan);
  await source.setMark(markOf(options, id, "left"));
  onEvent({ type: "moved", from: source.label, to: target.label });
}

/** Copies until the target is ready. */
async function fill(options: MoveOptions, id: string, plan: Plan): Promise<void> {
  const { source, target, onEvent } = options;
  if (plan.kind === "begin") await mark(options, id);
  await requireUnused(options);
  onEvent({ type: "begun", from: source.label, to: target.label, isResumed: plan.kind === "goOn" });
  await copy(options, id, plan.kind === "goOn" ? plan.cursor : startOf(options));
  const rows = await compare(options);
  await target.finish();
  const jobs = await options.addJobs();
  await target.setMark(markOf(options, id, "arrived"));
  onEvent({ type: "arrived", rows, jobs });
}

/** The next step. */
export async function planFor({ source, target, tables = DUMP_TABLES }: MoveOptions): Promise<Plan> {
  const [from, to] = [await source.mark(), await target.mark()];
  const plan = planOf(
    { label: source.label, mark: from },
    { label: target.label, mark: to, filled: await filledOf(target, tables) },
  );
  if (plan.kind !== "begin") return plan;
  for (const dump of [source, target]) {
    const user = await dump.user();
    if (user !== undefined) return { kind: "refuse", reason: inUse(dump, user) };
  }
  return plan;
}

/** Removes the state from a source, so that apps start on it again. @throws SvcError `SVC_MOVE` if it has none. */
export async function undoMove(source: Dump): Promise<MigrationState> {
  const known = await source.mark();
  if (known?.state === "leaving" || known?.state === "left") {
    await source.setMark(undefined);
    return known;
  }
  throw refused(
    known?.state === "arriving"
      ? `${source.label} is being filled from ${known.peer}. To give that up, drop its schema`
      : `${source.label} was not moved anywhere, so there is no mark to remove`,
  );
}

/** The source first: nothing starts on it from then on. */
async function mark(options: MoveOptions, id: string): Promise<void> {
  await options.source.setMark(markOf(options, id, "leaving"));
  await options.target.setMark({ ...markOf(options, id, "arriving"), cursor: startOf(options) });
}

/** A process that opened it before is visible now; one that opens it later sees the state. */
async function requireUnused({ source, target }: MoveOptions): Promise<void> {
  for (const dump of [source, target]) {
    const user = await dump.user();
    if (user !== undefined) throw refused(inUse(dump, user));
  }
}

function inUse(dump: Dump, user: string): string {
  return `${dump.label} is in use by ${user}. End it, and run this command again`;
}

async function copy(options: MoveOptions, id: string, start: Cursor): Promise<void> {
  const { tables = DUMP_TABLES } = options;
  const first = tables.findIndex(({ name }) => name === start.table);
  if (first < 0) return;
  for (const [at, table] of tables.entries())
    if (at >= first) await copyTable(options, id, table, at === first ? start.after : undefined, tables[at + 1]?.name);
}

/** Reads the next rows while the previous ones are written. @param next the table after this one. */
async function copyTable(
  options: MoveOptions,
  id: string,
  table: DumpTable,
  after: (string | number)[] | undefined,
  next: string | undefined,
): Promise<void> {
  const { source, target, onEvent } = options;
  const arriving = markOf(options, id, "arriving");
  const of = await source.count(table);
  let rows = after ? await target.count(table) : 0;
  let writing: Promise<void> = Promise.resolve();
  for await (const batch of batchesOf(source, table, after)) {
    await writing;
    const last = batch.at(-1);
    invariant(last !== undefined, "a batch has rows");
    const cursor = { table: table.name, after: [...keyOf(table, last)] };
    writing = target.load(
      table,
      batch.map((row) => target.kept(table, row)),
      { ...arriving, cursor },
    );
    // Awaited above or below.
    writing.catch(() => undefined);
    rows += batch.length;
    onEvent({ type: "copying", table: table.name, rows, of });
  }
  await writing;
  await target.setMark({ ...arriving, cursor: { table: next } });
}

/** @returns number of rows of all tables. @throws SvcError `SVC_MOVE` */
async function compare(options: MoveOptions): Promise<number> {
  const { source, target, onEvent, tables = DUMP_TABLES } = options;
  let all = 0;
  for (const table of tables) {
    let replaced = 0;
    const of = await source.count(table);
    const [sent, arrived] = await Promise.all([
      checksumOf(source, table, {
        change: (row) => {
          const kept = target.kept(table, row);
          if (kept !== row) replaced++;
          return kept;
        },
      }),
      checksumOf(target, table, { onRows: (rows) => onEvent({ type: "checking", table: table.name, rows, of }) }),
    ]);
    if (sent.rows !== arrived.rows || sent.sha256 !== arrived.sha256) throw unequal(options, table, sent, arrived);
    onEvent({ type: "table", table: table.name, replaced, ...sent });
    all += sent.rows;
  }
  return all;
}

function unequal({ source, target }: MoveOptions, { name }: DumpTable, sent: Checksum, arrived: Checksum): SvcError {
  return refused(
    `the table "${name}" differs: ${source.label} has ${sent.rows} rows (${sent.sha256.slice(0, 12)}), ${target.label} ${arrived.rows} (${arrived.sha256.slice(0, 12)}). ` +
      "One of them was changed meanwhile. Drop the copy at the target, remove the mark of the source with --undo-mark, and move again",
  );
}

async function filledOf(target: Dump, tables: readonly DumpTable[]): Promise<string | undefined> {
  for (const table of tables) if ((await target.count(table)) > 0) return table.name;
  return undefined;
}

function startOf({ tables = DUMP_TABLES }: MoveOptions): Cursor {
  return { table: tables[0]?.name };
}

function markOf({ source, target, clock }: MoveOptions, id: string, state: MigrationState["state"]): MigrationState {
  const isSource = state === "leaving" || state === "left";
  return { id, state, peer: isSource ? target.label : source.label, atMs: clock.now() };
}

function refused(reason: string): SvcError {
  return new SvcError("SVC_MOVE", capital(reason));
}
