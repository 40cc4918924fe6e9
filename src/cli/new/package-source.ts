/** The dependency on svc in the package.json of a new app. Default: the package that runs, from wherever it was installed. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Of what npm has installed into a folder; it writes this beside it. */
interface Installed {
  packages?: Record<string, { version?: string; resolved?: string }>;
}

/** @param app folder of the new app, absolute. @param running folder of the package that runs, absolute. @returns undefined where nobody knows. */
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

/** @returns what npm wrote of this folder; undefined where something else, or nothing, has. */
function installedIn(modules: string): Installed | undefined {
  try {
    return JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as Installed;
  } catch {
    return undefined;
  }
}

/**
 * @param given a folder or a tarball, from `cwd` on, or whatever else npm takes: a version, a tag, an address.
 * @returns an Error for a path at which nothing is.
 */
export function givenSource(given: string, app: string, cwd: string): string | Error {
  const path = resolve(cwd, given.replace(/^file:/, ""));
  if (isPackage(path)) return fileSpec(app, path);
  if (given.trim() === "" || /^(?:file:|\.|\/|~|[A-Za-z]:\\)|^[^:]*\.(?:tgz|tar\.gz)$/.test(given))
    return new Error(
      `--svc is "${given}", and no package is there; give a tarball that npm pack wrote, a folder with a package.json, or what npm takes`,
    );
  return given;
}

function isPackage(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true || existsSync(join(path, "package.json"));
}

/** As npm writes it: from the app on, and with `/` on every system. */
function fileSpec(app: string, path: string): string {
  return `file:${relative(app, path).split(sep).join("/")}`;
}
