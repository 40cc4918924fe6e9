/** The commands as data: what they take, what their help says. main.ts dispatches, one file each runs them. */
import { didYouMean } from "../platform/shared/did-you-mean.ts";

export interface CommandHelp {
  summary: string;
  usage: string;
  options: readonly (readonly [flag: string, meaning: string])[];
  /** It is given a file. */
  takesFile?: true;
  examples: readonly string[];
}

const ROOT = ["--root <folder>", "folder of the app (default: this one)"] as const;
const LISTEN = [
  ["--host <address>", "address to listen on (default: HOST, else 127.0.0.1)"],
  ["--port <number>", "port to listen on (default: PORT, else 3000)"],
] as const;

const COMMANDS = {
  dev: {
    summary: "serve the app from source and reload on every change",
    usage: "svc dev [options]",
    options: [ROOT, ...LISTEN],
    examples: ["svc dev", "svc dev --port 4000"],
  },
  build: {
    summary: "build server and browser code into dist/",
    usage: "svc build [options]",
    options: [
      ROOT,
      ["--public-maps", "serve source maps, and with them the source (default: dist/maps keeps them)"],
      ["--static", "write pages that need no request as files, too (dist/static)"],
    ],
    examples: ["svc build", "svc build --root demo", "svc build --static"],
  },
  start: {
    summary: "serve what svc build wrote",
    usage: "svc start [options]",
    options: [
      ROOT,
      ...LISTEN,
      ["--role <role>", "web: serve; worker: run graphs, deliver webhooks; all (default): both"],
      ["--workers <names>", "run nodes of these workers only, such as gpu,resize"],
    ],
    examples: [
      "svc start",
      "PORT=8080 svc start",
      "NODE_ENV=development svc start",
      "svc start --role=worker --workers=gpu",
    ],
  },
  explain: {
    summary: "tell what of a file runs where, and what it costs",
    usage: "svc explain <file.tsx> [options]",
    options: [ROOT, ["--json", "as JSON, for programs"]],
    examples: ["svc explain pages/todo.tsx", "svc explain pages/todo.tsx --json"],
    takesFile: true,
  },
} as const satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof COMMANDS;

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

export function takesFile(name: CommandName): boolean {
  const help: CommandHelp = COMMANDS[name];
  return help.takesFile === true;
}

export function overview(): string {
  const names = Object.keys(COMMANDS) as CommandName[];
  return [
    "svc: server-rendered pages that resume, durable graphs, signed webhooks",
    "",
    "Usage: svc <command> [options]",
    "",
    "  new      write a small whole app into an empty folder",
    ...names.map((name) => `  ${name.padEnd(9)}${COMMANDS[name].summary}`),
    "  graph    look at and steer the graphs of a running app",
    "  top      watch a running app: what runs, what waits, what has failed",
    "  backup   copy the database of an app that may be running",
    "  migrate  move a database into another, such as SQLite's file to PostgreSQL",
    "",
    "svc <command> --help tells more; svc --version tells the version.",
  ].join("\n");
}

export function helpOf(name: CommandName): string {
  const { summary, usage, options, examples }: CommandHelp = COMMANDS[name];
  return [
    `svc ${name}: ${summary}`,
    "",
    `Usage: ${usage}`,
    "",
    ...options.map(([flag, meaning]) => `  ${flag.padEnd(18)}${meaning}`),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

/** The command that was probably meant: the closest within two typos. */
export function suggestion(typed: string): string | undefined {
  return didYouMean(typed, [...Object.keys(COMMANDS), "new", "graph", "top", "backup", "migrate"]);
}
