/** Reads the command line into a command and its options. */
import { resolve } from "node:path";
import { helpOf, isCommand, overview, suggestion, takesFile, type CommandName } from "./commands.ts";
import { readOptions } from "./options.ts";

export interface CommandOptions {
  /** Absolute. */
  root: string;
  host: string | undefined;
  port: number | undefined;
  /** Of `build`. */
  publicMaps: boolean;
  /** Of `build`: pages that need no request are files too. */
  isStatic?: boolean;
  /** Of `start`: in place of the variables of the same names. */
  role?: string;
  workers?: string;
  /** Of `explain`: absolute. */
  file?: string;
  /** Of `explain`. */
  json?: boolean;
}

export type Invocation =
  | { kind: "run"; command: CommandName; options: CommandOptions }
  | { kind: "tell"; text: string }
  | { kind: "version" }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
  root: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "public-maps": { type: "boolean" },
  static: { type: "boolean" },
  json: { type: "boolean" },
  role: { type: "string" },
  workers: { type: "string" },
} as const;

/** @param args without node and script. @param cwd what a relative root starts from. */
export function readArguments(args: readonly string[], cwd: string): Invocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [command = ""] = args;
    return isCommand(command) ? misuse(command, (error as Error).message) : mistake((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [name, ...words] = positionals;
  if (values.version) return { kind: "version" };
  if (name === undefined) return values.help ? { kind: "tell", text: overview() } : mistake("No command given");
  if (!isCommand(name)) return mistake(unknownCommand(name));
  if (values.help) return { kind: "tell", text: helpOf(name) };
  const [file, ...rest] = takesFile(name) ? words : [undefined, ...words];
  if (rest.length > 0) return misuse(name, `svc ${name} takes no argument "${rest[0]}"`);
  if (takesFile(name) && file === undefined) return misuse(name, `svc ${name} needs a file`);
  if (values.json && !takesFile(name)) return misuse(name, `svc ${name} takes no --json; svc explain does`);
  const port = values.port === undefined ? undefined : readPort(values.port);
  if (port instanceof Error) return misuse(name, port.message);
  const publicMaps = values["public-maps"] ?? false;
  if (publicMaps && name !== "build") return misuse(name, `svc ${name} takes no --public-maps; svc build does`);
  const { role, workers } = values;
  if ((role !== undefined || workers !== undefined) && name !== "start")
    return misuse(name, `svc ${name} takes no --role and no --workers; svc start does`);
  const share = { ...(role !== undefined && { role }), ...(workers !== undefined && { workers }) };
  if (values.static && name !== "build") return misuse(name, `svc ${name} takes no --static; svc build does`);
  const options = {
    ...share,
    root: resolve(cwd, values.root ?? "."),
    host: values.host,
    port,
    publicMaps,
    ...(values.static && { isStatic: true }),
  };
  if (file === undefined) return { kind: "run", command: name, options };
  return { kind: "run", command: name, options: { ...options, file: resolve(cwd, file), json: values.json ?? false } };
}

function unknownCommand(name: string): string {
  const meant = suggestion(name);
  return `There is no command "${name}"${meant ? `; did you mean "${meant}"?` : ""}`;
}

function readPort(text: string): number | Error {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : new Error(`--port is "${text}"; it must be a whole number from 0 to 65535`);
}

function mistake(text: string): Invocation {
  return { kind: "mistake", text: `${text}\n\n${overview()}` };
}

/** Of a command that there is: its own help has the way out. */
function misuse(name: CommandName, text: string): Invocation {
  return { kind: "mistake", text: `${text}\n\nsvc ${name} --help tells more.` };
}
