/** `svc new`: copies the starter into an empty folder, writes its package.json, says what comes next. Installs nothing. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_NAME } from "../../platform/package/manifest.ts";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";
import { listFiles } from "../../platform/security/list-files.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Output } from "../output.ts";

export interface NewTask {
  /** Absolute. */
  folder: string;
  /** As it was given on the command line. */
  given: string;
  name: string;
  /** Dependency on svc in package.json. */
  svc: string;
}

/** What `svc build` leaves in the starter itself, in a clone. */
const BUILT = new Set(["dist", ".svc", "node_modules", "svc-routes.d.ts"]);
/** npm packs no file of the name that it is to have. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };
/** More of what is in the way would hide the rest. */
const MAX_NAMED = 3;
/** What its code imports, at the versions that svc itself is tested with. */
const NEEDED = { dependencies: ["valibot"], devDependencies: ["@types/node", "typescript"] } as const;

/** What of our own package.json goes into that of an app. */
interface OwnManifest {
  engines: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** @throws SvcError `SVC_NEW` where nothing may, or can, be written */
export function createNew(command: NewTask, output: Output): void {
  const { given } = command;
  const count = written(command);
  output.line(`${output.style("green", "Written")} ${given}: ${count} files, the README.md tells of them`);
  output.line(["", "Next:", "", ...nextCommands(given).map((each) => `  ${each}`)].join("\n"));
}

/** @returns how many files there are now. @throws SvcError `SVC_NEW` */
function written({ folder, given, name, svc }: NewTask): number {
  const own = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as OwnManifest;
  const starter = listFiles(join(PACKAGE_ROOT, "starter"), (each) => !BUILT.has(each));
  const files = [...starter].filter((file) => !BUILT.has(file.name));
  try {
    refuseUnlessEmpty(folder, given);
    mkdirSync(folder, { recursive: true });
    // Of all files the first: where it can't be written nothing is.
    writeFileSync(join(folder, "package.json"), manifestOf(name, svc, own), { flag: "wx" });
    for (const file of files) copy(file.path, join(folder, RENAMED[file.name] ?? file.name));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError("SVC_NEW", `${given} can't be written: ${(error as Error).message}`, { cause: error });
  }
  return files.length + 1;
}

/** The text of an app's package.json. @param svc what it says of svc. */
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

/** What whoever made the app types now. @param given the folder, as it was given. */
export function nextCommands(given: string): string[] {
  const quoted = /^[\w./~@+-]+$/.test(given) ? given : JSON.stringify(given);
  return [...(/^\.[\\/]*$/.test(given) ? [] : [`cd ${quoted}`]), "npm install", "npm run dev"];
}

/** A `.git` may be there: many make the repository first. */
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

/** What has come there meanwhile is not written over. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { errorOnExist: true, force: false });
}
