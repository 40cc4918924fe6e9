/** Command line of `svc new`: the folder, the app's name, and the svc that it depends on. */
import { basename, resolve } from "node:path";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";
import { Command, requireNoMore, UsageError } from "../command.ts";
import { packageNameProblem, suggestedName } from "./package-name.ts";
import { givenSource, runningSource } from "./package-source.ts";
import type { NewTask } from "./new.ts";

export const newCommand = new Command({
  name: "new",
  summary: "write a small whole app into an empty folder: a page, a form, a graph, a test",
  usage: ["svc new <folder> [options]"],
  options: {
    name: { type: "string", value: "<name>", help: "name in package.json (default: the folder's name)" },
    svc: {
      type: "string",
      value: "<spec>",
      help: `the svc that the app depends on: a tarball of npm pack, a folder, or a version
(default: the one that runs this command; in npm's registry the name may be somebody else's)`,
    },
  },
  notes:
    "The folder must be empty, except for .git. The command asks nothing, installs nothing and prints the next commands.",
  examples: ["svc new shop", "svc new . --name shop", "svc new shop --svc ../svc/svckit-0.1.0.tgz"],
  parse: (words, values, { cwd }) => parseNew(words, values, cwd, PACKAGE_ROOT),
  load: async () => {
    const { createNew } = await import("./new.ts");
    return async (task, output) => createNew(task, output);
  },
});

/** @param cwd relative paths start here. @param running folder of the package that runs. @throws UsageError */
export function parseNew(
  [given, ...rest]: readonly string[],
  values: { name?: string | undefined; svc?: string | undefined },
  cwd: string,
  running: string,
): NewTask {
  if (given === undefined) throw new UsageError("svc new needs a folder to write, such as shop");
  requireNoMore("new", rest);
  const folder = resolve(cwd, given);
  const name = values.name ?? basename(folder);
  const problem = packageNameProblem(name);
  if (problem !== undefined) throw new UsageError(invalidName(name, problem));
  const svc = values.svc === undefined ? runningSource(folder, running) : givenSource(values.svc, folder, cwd);
  if (svc instanceof Error) throw new UsageError(svc.message);
  if (svc !== undefined) return { folder, given, name, svc };
  throw new UsageError(
    "svc new cannot find out where this svc came from. Give --svc a tarball of npm pack, a folder or a version.",
  );
}

function invalidName(name: string, problem: string): string {
  const suggested = suggestedName(name);
  return `npm does not accept the package name "${name}": it ${problem}. Give another with --name${suggested === undefined ? "" : `, such as --name ${suggested}`}`;
}
