/** Reads what stands behind `svc migrate`. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { readOptions } from "../options.ts";

export interface MigrateCommand {
  from: string;
  to: string;
  isDryRun: boolean;
  /** Lines of JSON, whoever looks. */
  json: boolean;
}

export type MigrateInvocation =
  | { kind: "move"; command: MigrateCommand }
  | { kind: "undo"; from: string }
  | { kind: "tell"; text: string }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  from: { type: "string" },
  to: { type: "string" },
  "dry-run": { type: "boolean" },
  "undo-mark": { type: "boolean" },
  json: { type: "boolean" },
} as const;

const HELP = `svc migrate: move all that one database holds into another, once the app has ended

Usage: svc migrate --from <url> --to <url> [options]
       svc migrate --undo-mark --from <url>

  --from <url>   sqlite:<path> or postgres://…; nobody may use it
  --to <url>     of an empty database, or one that such a move has begun to fill (default: ${VARIABLES.databaseUrl})
  --dry-run      read and count everything, tell what would be refused, write nothing
  --json         a line of JSON for each step, as where no person is looking
  --undo-mark    let apps start on a database again that was moved, or was about to be; give up the other one before

Ended at any moment, it goes on where it was when it is run again. The source stays as it is, marked as moved.

Examples:
  svc migrate --from sqlite:.svc/svc.db --to postgres://app@db/app --dry-run
  ${VARIABLES.databaseUrl}=postgres://app:secret@db/app svc migrate --from sqlite:.svc/svc.db`;

export function readMigrateArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): MigrateInvocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: false });
  } catch (error) {
    return mistake((error as Error).message);
  }
  const { help, from, to: given, json = false, "dry-run": isDryRun = false, "undo-mark": isUndo } = parsed.values;
  if (help) return { kind: "tell", text: HELP };
  if (from === undefined) return mistake("svc migrate needs --from, such as --from sqlite:.svc/svc.db");
  if (isUndo) {
    if (given !== undefined || isDryRun) return mistake("--undo-mark takes --from alone");
    return { kind: "undo", from };
  }
  const to = given ?? env[VARIABLES.databaseUrl]?.trim();
  if (!to) return mistake(`svc migrate needs --to, or ${VARIABLES.databaseUrl}`);
  if (to === from) return mistake("--from and --to are the same database");
  return { kind: "move", command: { from, to, isDryRun, json } };
}

function mistake(text: string): MigrateInvocation {
  return { kind: "mistake", text: `${text}\n\nsvc migrate --help tells more.` };
}
