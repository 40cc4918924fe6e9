/** `svc backup`: reads its command line, and copies the app's SQLite file while the app runs. */
import { resolve } from "node:path";
import { backUp } from "../../storage/sqlite/backup.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Output } from "../output.ts";
import { readOptions } from "../options.ts";

export type BackupInvocation =
  | { kind: "backup"; file: string; copy: string; json: boolean }
  | { kind: "tell"; text: string }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  from: { type: "string" },
  json: { type: "boolean" },
} as const;

const HELP = `svc backup: copy the database of an app that may be running

Usage: svc backup <file> [options]

  --from <url>  sqlite:<path> (default: ${VARIABLES.databaseUrl}, else svc.db in ${VARIABLES.dataDir} or .svc)
  --json        what was copied as JSON, for programs

The copy has all that was committed when it began. It is checked, and gets its name when it is on disk; secrets are in it. To go back
to it, end the app and put it in the place of the file, whose -wal and -shm go.

Examples:
  svc backup backups/$(date +%F).db
  svc backup shop.db --from sqlite:/var/lib/shop/svc.db`;

export function readBackupArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): BackupInvocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return mistake((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: "tell", text: HELP };
  const [copy, extra] = positionals;
  if (copy === undefined) return mistake("svc backup needs a file to write, such as backup.db");
  if (extra !== undefined) return mistake(`svc backup takes no argument "${extra}"`);
  // As the app reads them (app/lifecycle/config.ts): one that is empty is none.
  const set = (name: string): string | undefined => env[name]?.trim() || undefined;
  const url = values.from ?? set(VARIABLES.databaseUrl) ?? `sqlite:${set(VARIABLES.dataDir) ?? ".svc"}/svc.db`;
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (/^postgres(?:ql)?:/.test(url))
    return mistake(
      `svc backup copies SQLite files. PostgreSQL has pg_dump: pg_dump --schema=svc --schema=graphile_worker "$${VARIABLES.databaseUrl}"`,
    );
  if (file === undefined || file === ":memory:") return mistake("svc backup copies files: give --from sqlite:<path>");
  return { kind: "backup", file: resolve(file), copy: resolve(copy), json: values.json ?? false };
}

/** @throws SvcError `SVC_STORE` */
export async function backup(
  { file, copy, json }: Extract<BackupInvocation, { kind: "backup" }>,
  output: Output,
): Promise<void> {
  const { bytes, graphs } = await backUp(file, copy);
  if (json) return output.line(JSON.stringify({ file, copy, bytes, graphs }));
  output.line(`${copy}: ${(bytes / 1e6).toFixed(1)} MB, ${graphs.toLocaleString("en")} graphs, checked`);
}

function mistake(text: string): BackupInvocation {
  return { kind: "mistake", text: `${text}\n\nsvc backup --help tells more.` };
}
