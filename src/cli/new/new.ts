/** `svc new`: copies the starter into an empty folder, writes its package.json and prints the next commands. Installs nothing. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_NAME } from "../../platform/package/manifest.ts";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";
import { listFiles } from "../../platform/security/list-files.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Output } from "../output.ts";

export interface NewTask {
  /** Absolute path. */
  folder: string;
  /** As it was given on the command line. */
  given: string;
  name: string;
  /** Dependency on svc in package.json. */
  svc: string;
}

/** Output of `svc build` in the starter of a clone. */
const BUILT = new Set(["dist", ".svc", "node_modules", "svc-routes.d.ts", "svc-graphs.d.ts"]);
/** npm does not pack a file with the final name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };
/** Number of existing files to name in the error. */
const MAX_NAMED = 3;
/** Packages that the starter imports or is built with, at the versions that svc is tested with. */
const NEEDED = { dependencies: ["valibot"], devDependencies: ["@types/node", "typescript", "vite"] } as const;

/** Fields of svc's package.json that an app's package.json repeats. */
interface OwnManifest {
  engines: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** @throws SvcError `SVC_NEW` if the folder is not empty, or can't be written */
export function createNew(command: NewTask, output: Output): void {
  const { given } = command;
  const count = written(command);
  output.line(`${output.style("green", "Written")} ${given}: ${count} files; README.md explains them`);
  output.line(["", "Next:", "", ...nextCommands(given).map((each) => `  ${each}`)].join("\n"));
}

/** @returns the number of files. @throws SvcError `SVC_NEW` */
function written({ folder, given, name, svc }: NewTask): number {
  const own = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as OwnManifest;
  const starter = listFiles(join(PACKAGE_ROOT, "starter"), (each) => !BUILT.has(each));
  const files = [...starter].filter((file) => !BUILT.has(file.name));
  try {
    refuseUnlessEmpty(folder, given);
    mkdirSync(folder, { recursive: true });
    // Written first: if this fails, nothing has been written.
    writeFileSync(join(folder, "package.json"), manifestOf(name, svc, own), { flag: "wx" });
    for (const file of files) copy(file.path, join(folder, RENAMED[file.name] ?? file.name));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError("SVC_NEW", `${given} can't be written: ${(error as Error).message}`, { cause: error });
  }
  return files.length + 1;
}

/** Text of an app's package.json. @param svc the dependency on svc. */
export function manifestOf(name: string, svc: string, own: OwnManifest): string {
  const versions = (names: readonly string[]): Record<string, string | undefined> =>
    Object.fromEntries(names.map((each) => [each, own.devDependencies[each]]));
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    engines: own.engines,
    scripts: { dev: "svc dev", build: "svc build", start: "svc start", test: "svc build && tsc && node --test" },
    dependencies: { [PACKAGE_NAME]: svc, ...versions(NEEDED.dependencies) },
    devDependencies: versions(NEEDED.devDependencies),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The commands that a user runs next. @param given the folder, as it was given. */
export function nextCommands(given: string): string[] {
  const quoted = /^[\w./~@+-]+$/.test(given) ? given : JSON.stringify(given);
  return [...(/^\.[\\/]*$/.test(given) ? [] : [`cd ${quoted}`]), "npm install", "npm run dev"];
}

/** Allows a `.git` folder: many people create the repository first. */
function refuseUnlessEmpty(folder: string, given: string): void {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) throw new SvcError("SVC_NEW", `${given} is a file; name a folder that is new or empty`);
  const names = readdirSync(folder).filter((name) => name !== ".git");
  if (names.length === 0) return;
  const more = names.length - MAX_NAMED;
  const list = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  throw new SvcError(
    "SVC_NEW",
    `${given} is not empty: it has ${list}. Nothing was written; name a folder that is new or empty`,
  );
}

/** Does not overwrite a file that another program created meanwhile. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { errorOnExist: true, force: false });
}
