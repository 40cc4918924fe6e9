/** Which addresses name a database; opening it is open-store.ts's. */

const ALLOWED = /^(?:postgres(?:ql)?:|sqlite:.|memory:$)/s;

/** @returns why it names none that can be opened, without what may be a password in it; undefined where it does */
export function databaseUrlProblem(databaseUrl: string): string | undefined {
  if (ALLOWED.test(databaseUrl)) return undefined;
  return `"${databaseUrl.split(":", 1)[0]}:…" is no database this version can open; allowed: sqlite:<path>, postgres://<user>:<password>@<host>:<port>/<database>, memory:`;
}

const MEMORY = ":memory:";

/** @param databaseUrl not of PostgreSQL @returns the path of its file, or SQLite's name for a database in memory */
export function sqliteFile(databaseUrl: string): string {
  return databaseUrl === "memory:" ? MEMORY : databaseUrl.slice("sqlite:".length);
}

export function isInMemory(databaseUrl: string): boolean {
  return sqliteFile(databaseUrl) === MEMORY;
}
