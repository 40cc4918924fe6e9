/** Command line of `svc migrate`. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { Command, requireNoMore, UsageError } from "../command.ts";
import type { MigrateTask } from "./migrate.ts";

export const migrateCommand = new Command({
  name: "migrate",
  summary: "move a database into another one, such as an SQLite file into PostgreSQL",
  usage: ["svc migrate --from <url> --to <url> [options]", "svc migrate --undo-mark --from <url>"],
  options: {
    from: { type: "string", value: "<url>", help: "sqlite:<path> or postgres://…; no app may be using it" },
    to: {
      type: "string",
      value: "<url>",
      help: `an empty database, or one that this move has begun to fill (default: ${VARIABLES.databaseUrl})`,
    },
    "dry-run": { type: "boolean", help: "read and count everything, report what would be refused, write nothing" },
    json: { type: "boolean", help: "print a line of JSON for each step (default where output is not a terminal)" },
    "undo-mark": {
      type: "boolean",
      help: "let apps start again on a database that was moved or was about to be;\ndelete the other database first",
    },
  },
  notes: `Stop the app first. After an interruption, run the same command again: it continues where it stopped.
The source is not changed, except that it is marked as moved.`,
  examples: [
    "svc migrate --from sqlite:.svc/svc.db --to postgres://app@db/app --dry-run",
    `${VARIABLES.databaseUrl}=postgres://app:secret@db/app svc migrate --from sqlite:.svc/svc.db`,
  ],
  parse(
    words,
    { from, to: given, json = false, "dry-run": isDryRun = false, "undo-mark": isUndo },
    { env },
  ): MigrateTask {
    requireNoMore("migrate", words);
    if (from === undefined) throw new UsageError("svc migrate needs --from, such as --from sqlite:.svc/svc.db");
    if (isUndo) {
      if (given !== undefined || isDryRun) throw new UsageError("--undo-mark takes --from and no other option");
      return { kind: "undo", from };
    }
    const to = given ?? env[VARIABLES.databaseUrl]?.trim();
    if (!to) throw new UsageError(`svc migrate needs --to, or ${VARIABLES.databaseUrl}`);
    if (to === from) throw new UsageError("--from and --to are the same database");
    return { kind: "move", from, to, isDryRun, json };
  },
  load: async () => {
    const { migrate, undo } = await import("./migrate.ts");
    return (task, output) => (task.kind === "undo" ? undo(task.from, output) : migrate(task, output));
  },
});
