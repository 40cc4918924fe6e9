/**
 * Reads a `package-lock.json` of npm 7 and later (lockfileVersion 2 and 3,
 * https://docs.npmjs.com/cli/configuring-npm/package-lock-json). Pure: it opens no file and queries no registry.
 * An invalid lockfile throws a `LockfileError` with the problem and its position.
 */
import { FinalError } from "svckit/graph";
import { isFields, kindOf, type Fields } from "./input.ts";
import { findJsonProblem } from "./json-position.ts";
import type { LockedPackage, Lockfile, Source } from "./types.ts";

/** Limits the time to draw and store the graph; larger monorepos exist, but are too large for a demo. */
export const MAX_PACKAGES = 5_000;

/** The lockfile is invalid. A retry would fail in the same way, so this error is final. */
export class LockfileError extends FinalError {
  override readonly name = "LockfileError";
}

/**
 * @param input the text of the file, or its parsed object.
 * @throws LockfileError
 */
export function parseLockfile(input: unknown): Lockfile {
  const root = readRoot(typeof input === "string" ? parseText(input) : input);
  const lockfileVersion = readVersion(root);
  const entries = readEntries(root);
  const locked = entries.filter(([path, entry]) => isInstalled(path, entry)).map(readPackage);
  if (locked.length > MAX_PACKAGES) {
    throw new LockfileError(
      `The lockfile has ${locked.length} packages; this demo accepts up to ${MAX_PACKAGES}. Use a smaller project.`,
    );
  }
  return { project: projectName(root, entries), lockfileVersion, packages: withVersions(locked) };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const problem = findJsonProblem(text.replace(/^\uFEFF/, ""));
    const where = problem
      ? `line ${problem.line}, column ${problem.column}: ${problem.expected} was expected`
      : String(cause);
    throw new LockfileError(`The lockfile is not valid JSON at ${where}. Use the package-lock.json as npm wrote it.`, {
      cause,
    });
  }
}

function readRoot(value: unknown): Fields {
  if (isFields(value)) return value;
  throw new LockfileError(`A lockfile is a JSON object, but this is ${kindOf(value)}. Use a package-lock.json.`);
}

function readVersion(root: Fields): number {
  const version = root["lockfileVersion"];
  if (version === 2 || version === 3) return version;
  if (version === 1) {
    throw new LockfileError(
      'At "lockfileVersion": 1 is the format of npm 6; only 2 and 3 are supported. ' +
        'Run "npm install --package-lock-only --lockfile-version 3" and use the new file.',
    );
  }
  const given = version === undefined ? "missing" : `${JSON.stringify(version)}, not 2 or 3`;
  throw new LockfileError(`At "lockfileVersion": it is ${given}, so this is not a supported npm lockfile.`);
}

function readEntries(root: Fields): [string, Fields][] {
  const packages = root["packages"];
  if (!isFields(packages)) {
    throw new LockfileError(`At "packages": an object was expected, but it is ${kindOf(packages)}.`);
  }
  return Object.entries(packages).map(([path, entry]) => {
    if (!isFields(entry)) {
      throw new LockfileError(`At packages["${path}"]: an object was expected, but it is ${kindOf(entry)}.`);
    }
    return [path, entry];
  });
}

/** Links and the project's own folders (the root, workspaces) are not installed packages. */
function isInstalled(path: string, entry: Fields): boolean {
  return entry["link"] !== true && /(?:^|\/)node_modules\/[^/]/.test(path);
}

function readPackage([path, entry]: [string, Fields]): LockedPackage {
  const version = entry["version"];
  if (typeof version !== "string" || version === "") {
    throw new LockfileError(`At packages["${path}"].version: a version was expected, but it is ${kindOf(version)}.`);
  }
  return {
    path,
    name: text(entry["name"]) ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    version,
    license: readLicense(entry["license"]),
    dev: entry["dev"] === true || entry["devOptional"] === true,
    bundled: entry["inBundle"] === true,
    hasIntegrity: text(entry["integrity"]) !== undefined,
    hasInstallScript: entry["hasInstallScript"] === true,
    deprecated: entry["deprecated"] === true ? "deprecated" : (text(entry["deprecated"]) ?? null),
    source: sourceOf(text(entry["resolved"])),
    versions: [],
  };
}

/** Old packages have an object, or an array of them: `{ type: "MIT", url }` (package.json of npm before 2.10). */
export function readLicense(license: unknown): string | null {
  if (Array.isArray(license)) {
    const names = license.map(readLicense).filter((name) => name !== null);
    return names.length > 0 ? names.join(" OR ") : null;
  }
  return text(isFields(license) ? license["type"] : license) ?? null;
}

function sourceOf(resolved: string | undefined): Source {
  if (resolved === undefined) return "unknown";
  if (resolved.startsWith("https:")) return "registry";
  if (resolved.startsWith("http:")) return "insecure";
  if (/^(git[+:@]|github:)/.test(resolved)) return "git";
  return resolved.startsWith("file:") ? "file" : "unknown";
}

/** Adds all versions of its name to each package. */
function withVersions(packages: readonly LockedPackage[]): LockedPackage[] {
  const byName = new Map<string, Set<string>>();
  for (const { name, version } of packages) byName.set(name, (byName.get(name) ?? new Set()).add(version));
  return packages.map((locked) => ({ ...locked, versions: [...(byName.get(locked.name) ?? [])].sort(byNumbers) }));
}

function byNumbers(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}

function projectName(root: Fields, entries: readonly [string, Fields][]): string {
  const own = entries.find(([path]) => path === "")?.[1];
  return text(root["name"]) ?? text(own?.["name"]) ?? "unnamed project";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
