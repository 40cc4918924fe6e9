/** A command of `svc`: its help, its options and the parsing of its command line. command-table.ts lists the commands. */
import type { parseArgs } from "node:util";
import { readOptions } from "./options.ts";
import type { Output } from "./output.ts";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  /** Placeholder of the value in the help: `<url>`. */
  readonly value?: string;
  /** Help text with the default value. */
  readonly help: string;
}

export type OptionTable = Readonly<Record<string, Option>>;
export type Values<Options extends OptionTable> = ReturnType<typeof parseArgs<{ options: Options }>>["values"];
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process that reads the command line. */
export interface CommandContext {
  /** Relative paths start here. */
  readonly cwd: string;
  readonly env: Environment;
  /** Times such as "24h ago" count from here. */
  readonly nowMs: number;
}

/** @returns the exit code, if it is not 0. */
export type Run<Task> = (task: Task, output: Output) => Promise<number | void>;

export interface CommandDefinition<Options extends OptionTable, Task> {
  readonly name: string;
  /** One line of `svc --help`. */
  readonly summary: string;
  readonly usage: readonly string[];
  /** Text between usage and options, such as a table of subcommands. */
  readonly introduction?: string;
  readonly options: Options;
  /** Text below the options. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /** @param words positional arguments. @throws UsageError, or an Error whose message is shown as a usage error. */
  parse(words: readonly string[], values: Values<Options>, context: CommandContext): Task;
  /** Loads the code that runs the command. `svc --help` loads none of it, and `svc start` no compiler. */
  load(): Promise<Run<Task>>;
  /** Folder of the app, for commands that work in one: errors show positions in its sources. */
  rootOf?(task: Task): string;
}

/** The command line is wrong: exit code 2, and a hint at the command's help. */
export class UsageError extends Error {}

export type Reading<Task> =
  | { readonly kind: "run"; readonly task: Task }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "usageError"; readonly text: string };

export interface Job {
  readonly root: string | undefined;
  run(output: Output): Promise<number | void>;
}

const HELP: Option = { type: "boolean", short: "h", help: "show this help" };

export class Command<const Options extends OptionTable = OptionTable, Task = unknown> {
  readonly #definition: CommandDefinition<Options, Task>;

  constructor(definition: CommandDefinition<Options, Task>) {
    this.#definition = definition;
  }

  get name(): string {
    return this.#definition.name;
  }

  get summary(): string {
    return this.#definition.summary;
  }

  /** Missing parts of the definition, one sentence each. */
  get problems(): string[] {
    const { name, summary, usage, options, examples } = this.#definition;
    const isMissing = { summary: summary === "", usage: usage.length === 0, example: examples.length === 0 };
    const missing = Object.entries(isMissing).filter(([, is]) => is);
    const silent = Object.entries(options).filter(([, { help }]) => help === "");
    return [
      ...missing.map(([part]) => `svc ${name} has no ${part}`),
      ...silent.map(([option]) => `--${option} of svc ${name} has no help`),
    ];
  }

  get help(): string {
    const { name, summary, usage, introduction, options, notes, examples } = this.#definition;
    return [
      `svc ${name}: ${summary}`,
      usage.map((line, at) => `${at === 0 ? "Usage: " : "       "}${line}`).join("\n"),
      introduction,
      optionLines(options),
      notes,
      ["Examples:", ...examples.map((example) => `  ${example}`)].join("\n"),
    ]
      .filter((part) => part !== undefined && part !== "")
      .join("\n\n");
  }

  /** @param args arguments after the command's name. */
  read(args: readonly string[], context: CommandContext): Reading<Task> {
    try {
      const options: OptionTable = { ...this.#definition.options, help: HELP };
      const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true });
      if (values["help"]) return { kind: "help", text: this.help };
      // The parser added only `help` to the command's own options.
      const own = values as Values<Options>;
      return { kind: "run", task: this.#definition.parse(positionals, own, context) };
    } catch (error) {
      const hint = `Run "svc ${this.name} --help" for its options.`;
      return { kind: "usageError", text: `${(error as Error).message}\n\n${hint}` };
    }
  }

  job(task: Task): Job {
    return {
      root: this.#definition.rootOf?.(task),
      run: async (output) => (await this.#definition.load())(task, output),
    };
  }

  /** As `read`, with a job to run in place of the task. */
  prepare(args: readonly string[], context: CommandContext): Reading<Job> {
    const reading = this.read(args, context);
    return reading.kind === "run" ? { kind: "run", task: this.job(reading.task) } : reading;
  }
}

/** A command with any options and any task, for the table. */
export type AnyCommand = Pick<Command, "name" | "summary" | "problems" | "help" | "prepare">;

/** @throws UsageError for a positional argument that the command does not take. */
export function requireNoMore(name: string, words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`svc ${name} takes no argument "${words[0]}"`);
}

function optionLines(options: OptionTable): string {
  const lines = Object.entries(options).map(([name, { short, value, help }]) => {
    const flag = `--${name}${value === undefined ? "" : ` ${value}`}${short === undefined ? "" : `, -${short}`}`;
    return [flag, help] as const;
  });
  const width = Math.max(0, ...lines.map(([flag]) => flag.length));
  return lines.map(([flag, help]) => `  ${flag.padEnd(width)}  ${indented(help, width + 4)}`).join("\n");
}

function indented(text: string, by: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}
