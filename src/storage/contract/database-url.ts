/** Parses database URLs; open-store.ts opens them. */

const ALLOWED = /^(?:postgres(?:ql)?:|sqlite:.|memory:$)/s;

/** @returns the problem, without anything that may be a password; undefined for a valid URL */
export function databaseUrlProblem(databaseUrl: string): string | undefined {
  if (ALLOWED.test(databaseUrl)) return undefined;
  return `"${databaseUrl.split(":", 1)[0]}:…" is not a database that this version can open; allowed: sqlite:<path>, postgres://<user>:<password>@<host>:<port>/<database>, memory:`;
}

const MEMORY = ":memory:";

/** @param databaseUrl not of PostgreSQL @returns path of its file, or SQLite's name for a database in memory */
export function sqliteFile(databaseUrl: string): string {
  return databaseUrl === "memory:" ? MEMORY : databaseUrl.slice("sqlite:".length);
}

export function isInMemory(databaseUrl: string): boolean {
  return sqliteFile(databaseUrl) === MEMORY;
}
