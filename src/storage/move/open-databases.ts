/** Opens both sides of a migration by their URLs. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { invariant, SvcError } from "../../platform/shared/errors.ts";
import type { Dump } from "../contract/dump.ts";

/**
 * @param databaseUrl `sqlite:<path>` or `postgres://…`
 * @param isTarget whether to create it
 * @throws SvcError `SVC_CONFIG`, `SVC_STORE`
 */
export async function openDump(databaseUrl: string, isTarget: boolean): Promise<Dump> {
  if (isPostgres(databaseUrl)) return (await import("../postgres/dump.ts")).PostgresDump.open(databaseUrl);
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (file === undefined || file === ":memory:")
    throw new SvcError(
      "SVC_CONFIG",
      `"${databaseUrl.split(":", 1)[0]}:…" is not a database that can be moved; allowed: sqlite:<path>, postgres://<user>:<password>@<host>:<port>/<database>`,
    );
  return (await import("../sqlite/dump.ts")).SqliteDump.open(file, { isNew: isTarget });
}

/**
 * Opens a target for reading, without creating it.
 * @throws as `openDump`
 */
export async function inspectTarget(databaseUrl: string): Promise<Dump> {
  if (isPostgres(databaseUrl)) {
    const { keptInPostgres, PostgresDump } = await import("../postgres/dump.ts");
    if (await PostgresDump.isThere(databaseUrl)) return PostgresDump.open(databaseUrl);
    const { postgresLabel } = await import("../postgres/migration-state.ts");
    return absent(postgresLabel(databaseUrl), keptInPostgres);
  }
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1] ?? "";
  return existsSync(file) ? openDump(databaseUrl, true) : absent(`the database ${resolve(file)}`, (_table, row) => row);
}

/** A database that does not exist is empty. */
function absent(label: string, kept: Dump["kept"]): Dump {
  const notMade = async (): Promise<void> => invariant(false, "a dry run writes nothing");
  return {
    label,
    kept,
    count: async () => 0,
    read: async () => [],
    mark: async () => undefined,
    user: async () => undefined,
    setMark: notMade,
    load: notMade,
    finish: notMade,
    close: async () => undefined,
  };
}

export function isPostgres(databaseUrl: string): boolean {
  return /^postgres(?:ql)?:/.test(databaseUrl);
}
