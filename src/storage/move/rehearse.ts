/** A dry run of a migration: reads every row and checks whether the target can store it. Writes nothing. */
import { SvcError } from "../../platform/shared/errors.ts";
import { DUMP_TABLES, type DumpTable } from "../contract/dump.ts";
import { planFor, type MoveOptions } from "./move.ts";
import { batchesOf } from "./row-checksum.ts";

export type RehearsalEvent =
  /** Rows of the source; rows with characters that would be replaced; rows that would be refused. */
  | { type: "would"; table: string; rows: number; replaced: number; refused: number }
  /** Why the migration would be refused. */
  | { type: "refusal"; reason: string }
  /** At intervals. */
  | { type: "reading"; table: string; rows: number; of: number };

/** Refused rows of a table to report. All are counted. */
const MAX_REPORTED = 5;

export interface RehearsalOptions extends Omit<MoveOptions, "onEvent"> {
  onEvent: (event: RehearsalEvent) => void;
}

/** @returns whether the migration would succeed. @throws SvcError `SVC_STORE` */
export async function rehearse(options: RehearsalOptions): Promise<boolean> {
  const { onEvent, tables = DUMP_TABLES } = options;
  const plan = await planFor({ ...options, onEvent: () => undefined });
  if (plan.kind === "refuse") onEvent({ type: "refusal", reason: plan.reason });
  let refused = 0;
  for (const table of tables) refused += await rehearseTable(options, table);
  return plan.kind !== "refuse" && refused === 0;
}

async function rehearseTable({ source, target, onEvent }: RehearsalOptions, table: DumpTable): Promise<number> {
  const counts = { rows: 0, replaced: 0, refused: 0 };
  const of = await source.count(table);
  for await (const batch of batchesOf(source, table)) {
    for (const row of batch)
      try {
        if (target.kept(table, row) !== row) counts.replaced++;
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        if (++counts.refused <= MAX_REPORTED) onEvent({ type: "refusal", reason: error.message });
      }
    counts.rows += batch.length;
    onEvent({ type: "reading", table: table.name, rows: counts.rows, of });
  }
  onEvent({ type: "would", table: table.name, ...counts });
  return counts.refused;
}
