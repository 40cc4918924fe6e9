/**
 * `svc`: reads the command line, runs one command, turns its end into an exit code. 0 all is well, 1 the command failed,
 * 2 it was called wrongly.
 */
import { VARIABLES } from "../platform/shared/wire.ts";
import { PACKAGE_ROOT } from "../platform/package/package-root.ts";
import { VERSION } from "../webhooks/delivery/user-agent.ts";
import { readArguments, type CommandOptions } from "./arguments.ts";
import type { CommandName } from "./commands.ts";
import { errorText } from "./error-text.ts";
import { createOutput, type Output } from "./output.ts";

/** @returns the exit code, where it is not 0. */
type Run = (options: CommandOptions, output: Output) => Promise<number | void>;

/** Loaded when run: `start` needs no compiler. */
const RUNS: Record<CommandName, () => Promise<Run>> = {
  dev: async () => (await import("./dev/dev.ts")).dev,
  build: async () => (await import("./build/build.ts")).build,
  explain: async () => (await import("./build/explain.ts")).explain,
  start: async () => (await import("./serve/start.ts")).start,
};

// Whoever reads this has enough, as `head` does: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
const output = createOutput();
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "graph") return mainOfGraph(args.slice(1));
  if (args[0] === "top") return mainOfTop(args.slice(1));
  if (args[0] === "migrate") return mainOfMigrate(args.slice(1));
  if (args[0] === "backup") return mainOfBackup(args.slice(1));
  if (args[0] === "new") return mainOfNew(args.slice(1));
  const invocation = readArguments(args, process.cwd());
  if (invocation.kind === "version") return say(VERSION);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  const { command, options } = invocation;
  return failing(async () => (await RUNS[command]())(options, output), options.root);
}

/** It has a command line of its own. */
async function mainOfGraph(args: readonly string[]): Promise<number> {
  const { readGraphArguments } = await import("./graph/graph-arguments.ts");
  const invocation = readGraphArguments(args, process.cwd(), process.env);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  const { command } = invocation;
  return failing(async () => {
    const [{ graph }, { GraphClient }] = await Promise.all([
      import("./graph/graph.ts"),
      import("./graph/graph-client.ts"),
    ]);
    return graph(command, new GraphClient({ url: command.url, apiKey: process.env[VARIABLES.execApiKey] }), output);
  });
}

/** As graph: it is about a running app, not about a folder. */
async function mainOfTop(args: readonly string[]): Promise<number> {
  const { readTopArguments } = await import("./top/top-arguments.ts");
  const invocation = readTopArguments(args, process.env);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  const { command } = invocation;
  return failing(async () => {
    const [{ top }, { GraphClient }] = await Promise.all([import("./top/top.ts"), import("./graph/graph-client.ts")]);
    return top(command, new GraphClient({ url: command.url, apiKey: process.env[VARIABLES.execApiKey] }), output);
  });
}

/** It is about databases, not about a folder. */
async function mainOfMigrate(args: readonly string[]): Promise<number> {
  const { readMigrateArguments } = await import("./data/migrate-arguments.ts");
  const invocation = readMigrateArguments(args, process.env);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  return failing(async () => {
    const { migrate, undo } = await import("./data/migrate.ts");
    return invocation.kind === "undo" ? undo(invocation.from, output) : migrate(invocation.command, output);
  });
}

async function mainOfBackup(args: readonly string[]): Promise<number> {
  const { backup, readBackupArguments } = await import("./data/backup.ts");
  const invocation = readBackupArguments(args, process.env);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  return failing(() => backup(invocation, output));
}

/** It is about a folder that is no app yet. */
async function mainOfNew(args: readonly string[]): Promise<number> {
  const [{ createNew }, { readNewArguments }] = await Promise.all([
    import("./new/new.ts"),
    import("./new/new-arguments.ts"),
  ]);
  const invocation = readNewArguments(args, process.cwd(), PACKAGE_ROOT);
  if (invocation.kind === "tell") return say(invocation.text);
  if (invocation.kind === "mistake") {
    output.error(invocation.text);
    return 2;
  }
  return failing(async () => createNew(invocation.command, output));
}

/** @param root folder of the app, of commands that are about one. */
async function failing(run: () => Promise<number | void>, root?: string): Promise<number> {
  try {
    return (await run()) ?? 0;
  } catch (error) {
    const text =
      root === undefined ? errorText(error) : (await import("./error-with-source.ts")).errorWithSource(error, root);
    output.error(`${output.style("red", "Error")} ${text}`);
    return 1;
  }
}

function say(text: string): number {
  output.line(text);
  return 0;
}
