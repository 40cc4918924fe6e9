/** The dependency on svc in the package.json of a new app. Default: the package that runs, from wherever it was installed. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The parts of npm's hidden lockfile that are read here. */
interface Installed {
  packages?: Record<string, { version?: string; resolved?: string }>;
}

/**
 * @param app absolute folder of the new app. @param running absolute folder of the running package. @returns undefined if the source is
 * unknown.
 */
export function runningSource(app: string, running: string): string | undefined {
  const at = running.lastIndexOf(`${sep}node_modules${sep}`);
  if (at === -1) return fileSpec(app, running);
  const project = running.slice(0, at);
  const modules = join(project, "node_modules");
  const key = relative(project, running).split(sep).join("/");
  const { version, resolved } = installedIn(modules)?.packages?.[key] ?? {};
  if (!resolved?.startsWith("file:")) return resolved === undefined ? undefined : version;
  const from = resolved.startsWith("file://")
    ? fileURLToPath(resolved)
    : resolve(project, resolved.slice("file:".length));
  return existsSync(from) ? fileSpec(app, from) : undefined;
}

/** @returns npm's hidden lockfile; undefined if npm did not install this folder. */
function installedIn(modules: string): Installed | undefined {
  try {
    return JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as Installed;
  } catch {
    return undefined;
  }
}

/**
 * @param given a folder or a tarball relative to `cwd`, or another spec of npm: a version, a tag, a URL.
 * @returns an Error if the path does not exist.
 */
export function givenSource(given: string, app: string, cwd: string): string | Error {
  const path = resolve(cwd, given.replace(/^file:/, ""));
  if (isPackage(path)) return fileSpec(app, path);
  if (given.trim() === "" || /^(?:file:|\.|\/|~|[A-Za-z]:\\)|^[^:]*\.(?:tgz|tar\.gz)$/.test(given))
    return new Error(
      `--svc is "${given}", which is not a package; give a tarball of npm pack, a folder with a package.json, or a version, tag or URL`,
    );
  return given;
}

function isPackage(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true || existsSync(join(path, "package.json"));
}

/** A `file:` spec relative to the app, with `/` on every system. */
function fileSpec(app: string, path: string): string {
  return `file:${relative(app, path).split(sep).join("/")}`;
}
