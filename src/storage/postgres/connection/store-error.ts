/**
 * Classifies errors of PostgreSQL: retry, fault of the database, or duplicate key. By SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html), or by Node's error code of a connection.
 */
import { SvcError } from "../../../platform/shared/errors.ts";

/** The server starts or stops, a connection has ended, or none is available. */
const AWAY = /^(?:08...|57P0[1-5]|53300)$/;
/** Two transactions conflicted: a retry succeeds. */
const CROSSED = /^(?:40001|40P01|55P03)$/;
const SOCKET = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];
/** Messages of pg without a code. */
const ENDED =
  /connection terminated|connection ended|not queryable|timeout expired|query read timeout|timeout exceeded when trying to connect/i;
const UNIQUE = "23505";

const KNOWN: readonly (readonly [code: RegExp, problem: string])[] = [
  [/^53100$/, "has a full disk. Acknowledged writes are safe. Free disk space; the app then continues by itself"],
  [/^28...$/, "rejects the login: check user, password, database and pg_hba.conf"],
  [/^3D000$/, "does not have this database: create it, or use another address"],
  [/^25006$/, "accepts no writes: this is a standby. Use the address of the primary"],
  [
    /^42501$/,
    "denies permission to this user. It needs CREATE on the database for the first start, and its own schema afterwards",
  ],
  [
    /^55P03$/,
    "has a table that another session keeps locked. pg_stat_activity and pg_locks show the session; the app continues by itself once it ends",
  ],
  [/^57014$/, "took longer than 30 s for a statement, which was cancelled"],
  [/^53...$/, "has run out of resources (connections, memory, disk): see its log"],
];

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** Whether the connection failed, so that it is unknown whether the statement was committed. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return AWAY.test(code) || SOCKET.includes(code) || (code === "" && ENDED.test((error as Error).message));
}

/** Whether nothing was written, and a retry may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return CROSSED.test(codeOf(error));
}

/** @returns the error for callers: SvcError `SVC_STORE` for a fault of the database, else the given error. */
export function storeError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof SvcError) return error;
  const code = codeOf(error);
  if (code === UNIQUE) {
    const { table, constraint } = error as { table?: string; constraint?: string };
    return new Error(`UNIQUE constraint failed: ${table ?? ""} (${constraint ?? ""})`, { cause: error });
  }
  if (isUnavailable(error))
    return new SvcError(
      "SVC_STORE",
      `PostgreSQL can't be reached (${code || "no answer"}: ${error.message}). Start it, or fix its address. A running app continues by itself once the server responds.`,
      {
        cause: error,
      },
    );
  const problem = KNOWN.find(([known]) => known.test(code))?.[1];
  if (problem === undefined) return error;
  return new SvcError("SVC_STORE", `PostgreSQL ${problem} (${code}: ${error.message}).`, { cause: error });
}
