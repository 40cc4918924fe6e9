/** Reads what stands behind `svc new`: where the app is written, what it is called, which svc it depends on. */
import { basename, resolve } from "node:path";
import { readOptions } from "../options.ts";
import { packageNameProblem, suggestedName } from "./package-name.ts";
import { givenSource, runningSource } from "./package-source.ts";

export interface NewCommand {
  /** Absolute. */
  folder: string;
  /** As it was given. */
  told: string;
  name: string;
  /** What package.json says of svc. */
  svc: string;
}

export type NewInvocation =
  | { kind: "new"; command: NewCommand }
  | { kind: "tell"; text: string }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  name: { type: "string" },
  svc: { type: "string" },
} as const;

const HELP = `svc new: write a small whole app: a page, a form, a graph, a test

Usage: svc new <folder> [options]

  --name <name>  name in its package.json (default: that of the folder)
  --svc <spec>   the svc it depends on: a tarball of npm pack, a folder, or what npm takes, such as a version
                 (default: the one that runs this command; in npm's registry the name may be somebody else's)

The folder must be empty, but for a .git. Nothing is asked and nothing is installed: the commands that follow are told.

Examples:
  svc new shop
  svc new . --name shop
  svc new shop --svc ../svc/svc-0.1.0.tgz`;

/** @param cwd what relative paths start from. @param running folder of the package that runs. */
export function readNewArguments(args: readonly string[], cwd: string, running: string): NewInvocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return mistake((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: "tell", text: HELP };
  const [told, extra] = positionals;
  if (told === undefined) return mistake("svc new needs a folder to write, such as shop");
  if (extra !== undefined) return mistake(`svc new takes no argument "${extra}"`);
  const folder = resolve(cwd, told);
  const name = values.name ?? basename(folder);
  const fault = packageNameProblem(name);
  if (fault !== undefined) return mistake(nameTold(name, fault));
  const svc = values.svc === undefined ? runningSource(folder, running) : givenSource(values.svc, folder, cwd);
  if (svc === undefined)
    return mistake(
      "svc new can't tell where this svc came from; give --svc a tarball that npm pack wrote, a folder or a version",
    );
  if (svc instanceof Error) return mistake(svc.message);
  return { kind: "new", command: { folder, told, name, svc } };
}

function nameTold(name: string, fault: string): string {
  const mended = suggestedName(name);
  return `npm lets no package be called "${name}": it ${fault}. Give another with --name${mended === undefined ? "" : `, such as --name ${mended}`}`;
}

function mistake(text: string): NewInvocation {
  return { kind: "mistake", text: `${text}\n\nsvc new --help tells more.` };
}
