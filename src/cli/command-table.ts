/** All commands of `svc`, in the order of `svc --help`. Dispatch, help and suggestions come from this table. */
import { didYouMean } from "../platform/shared/did-you-mean.ts";
import { buildCommand } from "./build/build-command.ts";
import { explainCommand } from "./build/explain-command.ts";
import type { AnyCommand, CommandContext, Job, Reading } from "./command.ts";
import { backupCommand } from "./data/backup-command.ts";
import { keysCommand } from "./data/keys-command.ts";
import { migrateCommand } from "./data/migrate-command.ts";
import { devCommand } from "./dev/dev-command.ts";
import { doctorCommand } from "./doctor/doctor-command.ts";
import { graphCommand } from "./graph/graph-command.ts";
import { newCommand } from "./new/new-command.ts";
import { startCommand } from "./serve/start-command.ts";
import { topCommand } from "./top/top-command.ts";

export const COMMANDS: readonly AnyCommand[] = [
  newCommand,
  devCommand,
  buildCommand,
  startCommand,
  explainCommand,
  graphCommand,
  topCommand,
  doctorCommand,
  backupCommand,
  keysCommand,
  migrateCommand,
];

/** @returns problems of a table, one sentence each: an incomplete command, or a name used twice. */
export function tableProblems(commands: readonly AnyCommand[]): string[] {
  const names = commands.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [
    ...commands.flatMap(({ problems }) => problems),
    ...twice.map((name) => `Two commands have the name "${name}"`),
  ];
}

export function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    "svc: server-rendered pages that resume, durable graphs, signed webhooks",
    "",
    "Usage: svc <command> [options]",
    "",
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    'Run "svc <command> --help" for its options, "svc --version" for the version.',
  ].join("\n");
}

/** Reads the whole command line. */
export function readCommandLine(
  args: readonly string[],
  context: CommandContext,
): Reading<Job> | { readonly kind: "version" } {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") return { kind: "version" };
  if (name === "--help" || name === "-h") return { kind: "help", text: overview() };
  if (name === undefined) return usageError("No command given");
  const command = COMMANDS.find((known) => known.name === name);
  return command === undefined ? usageError(unknownCommand(name)) : command.prepare(rest, context);
}

function unknownCommand(name: string): string {
  const names = COMMANDS.map((command) => command.name);
  const meant = didYouMean(name, names);
  return `Unknown command "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

function usageError(text: string): Reading<never> {
  return { kind: "usageError", text: `${text}\n\n${overview()}` };
}
