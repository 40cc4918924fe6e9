/** Command line of `svc backup`. */
import { resolve } from "node:path";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { Command, requireNoMore, UsageError, type Environment } from "../command.ts";
import type { BackupTask } from "./backup.ts";
import { databaseUrlOf } from "./database-url.ts";

export const backupCommand = new Command({
  name: "backup",
  summary: "copy the SQLite database of an app, also while the app runs",
  usage: ["svc backup <file> [options]"],
  options: {
    from: {
      type: "string",
      value: "<url>",
      help: `sqlite:<path> (default: ${VARIABLES.databaseUrl}, else svc.db in ${VARIABLES.dataDir} or .svc)`,
    },
    json: { type: "boolean", help: "print JSON" },
  },
  notes: `The copy contains every transaction that was committed when the copy began, and its secrets. The command checks the copy
and gives it its name once it is on disk. To restore it, stop the app, replace the database file with the copy, and delete
the files -wal and -shm beside it.`,
  examples: ["svc backup backups/$(date +%F).db", "svc backup shop.db --from sqlite:/var/lib/shop/svc.db"],
  parse([copy, ...rest], { from, json = false }, { cwd, env }): BackupTask {
    if (copy === undefined) throw new UsageError("svc backup needs a file to write, such as backup.db");
    requireNoMore("backup", rest);
    return { file: resolve(cwd, sourceFile(from, env)), copy: resolve(cwd, copy), json };
  },
  load: async () => (await import("./backup.ts")).backup,
});

function sourceFile(from: string | undefined, env: Environment): string {
  const url = from ?? databaseUrlOf(env);
  if (/^postgres(?:ql)?:/.test(url))
    throw new UsageError(
      `svc backup copies SQLite files. For PostgreSQL, use pg_dump: pg_dump --schema=svc --schema=graphile_worker "$${VARIABLES.databaseUrl}"`,
    );
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined || file === ":memory:")
    throw new UsageError("svc backup copies files. Give --from sqlite:<path>.");
  return file;
}
