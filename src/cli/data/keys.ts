/** `svc keys`: reports the keys of stored payloads, and encrypts payloads with the first key. */
import { SvcError } from "../../platform/shared/errors.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { PayloadKey } from "../../storage/encryption/payload-keys.ts";
import {
  countPayloads,
  rotatePayloads,
  type PayloadCounts,
  type PayloadDatabase,
} from "../../storage/encryption/rotate-payloads.ts";
import type { Output } from "../output.ts";

export interface KeysTask {
  kind: "count" | "rotate";
  databaseUrl: string;
  keys: readonly PayloadKey[];
  /** Prints lines of JSON. */
  json: boolean;
}

interface KeyReport {
  id: string;
  values: number;
  /** Whether the variable contains it, and whether it encrypts new values. */
  known: boolean;
  current: boolean;
}

/** @throws SvcError `SVC_CONFIG`, `SVC_STORE`, `SVC_PAYLOAD_KEY` */
export async function keys(task: KeysTask, output: Output): Promise<void> {
  const database = await open(task.databaseUrl);
  try {
    if (task.kind === "rotate") await rotate(database, task, output);
    report(database, task, await countPayloads(database), output);
  } finally {
    await database.close();
  }
}

async function open(databaseUrl: string): Promise<PayloadDatabase> {
  if (/^postgres(?:ql)?:/.test(databaseUrl))
    return (await import("../../storage/postgres/payload-database.ts")).PostgresPayloads.open(databaseUrl);
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (file === undefined || file === ":memory:")
    throw new SvcError("SVC_CONFIG", "svc keys needs a stored database: sqlite:<path> or postgres://…");
  return (await import("../../storage/sqlite/payload-database.ts")).SqlitePayloads.open(file);
}

async function rotate(database: PayloadDatabase, { keys: all, json }: KeysTask, output: Output): Promise<void> {
  const changed = await rotatePayloads(database, new PayloadCipher(all), (progress) => {
    if (json) output.line(JSON.stringify({ type: "rotating", ...progress }));
    else if (output.isInteractive)
      output.status(`  ${progress.table}: ${shown(progress.changed)} of ${shown(progress.rows)} rows`);
  });
  if (json) return output.line(JSON.stringify({ type: "rotated", changed }));
  output.line(`Encrypted ${shown(changed)} ${changed === 1 ? "row" : "rows"} with the key "${all[0]?.id ?? ""}".`);
}

function report(
  { label }: PayloadDatabase,
  { keys: all, json }: KeysTask,
  counts: PayloadCounts,
  output: Output,
): void {
  const ids = [...new Set([...all.map(({ id }) => id), ...[...counts.keys()].filter((id) => id !== undefined)])];
  const reports = ids.map((id): KeyReport => ({
    id,
    values: counts.get(id) ?? 0,
    known: all.some((key) => key.id === id),
    current: all[0]?.id === id,
  }));
  const unencrypted = counts.get(undefined) ?? 0;
  if (json) return output.line(JSON.stringify({ type: "counts", database: label, keys: reports, unencrypted }));
  output.line(`Payloads in ${label}:`);
  const width = Math.max(...ids.map((id) => id.length), "(none)".length);
  for (const one of reports)
    output.line(`  ${one.id.padEnd(width)}  ${shown(one.values).padStart(11)}  ${noteOf(one)}`);
  output.line(`  ${"(none)".padEnd(width)}  ${shown(unencrypted).padStart(11)}  not encrypted`);
}

function noteOf({ values, known, current }: KeyReport): string {
  if (current) return "encrypts new values";
  if (!known) return `not in ${VARIABLES.payloadKeys}: add it, or these values can't be read`;
  return values === 0 ? `may be removed from ${VARIABLES.payloadKeys}` : 'run "svc keys rotate" before it is removed';
}

function shown(count: number): string {
  return count.toLocaleString("en");
}
