/**
 * Reads licences that a lockfile omits from the `node_modules` of this server's project. A lockfile is an untrusted
 * upload: its paths are validated before any file access, and a manifest counts only for the same package and version.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readLicense } from "./lockfile.ts";
import type { LockedPackage } from "./types.ts";

/** `node_modules/name` or `node_modules/@scope/name`, nested like npm's; segments never start with a dot. */
const SAFE_PATH = /^(?:node_modules\/(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*\/?)+$/;

/** @returns the nearest folder at or above `from` that holds a package-lock.json. */
export function findProject(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package-lock.json"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

export function isSafePath(path: string): boolean {
  return SAFE_PATH.test(path);
}

/** @returns the licence of the same package, installed below `project`; `null` if it is not installed. */
export async function installedLicense(project: string | undefined, locked: LockedPackage): Promise<string | null> {
  if (project === undefined || !isSafePath(locked.path)) return null;
  const text = await readIfThere(join(project, locked.path, "package.json"));
  if (text === undefined) return null;
  const manifest = JSON.parse(text) as { name?: unknown; version?: unknown; license?: unknown; licenses?: unknown };
  const isSame = manifest.name === locked.name && manifest.version === locked.version;
  return isSame ? readLicense(manifest.license ?? manifest.licenses) : null;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
