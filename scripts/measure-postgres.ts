/**
 * Cost of graphs on PostgreSQL with one process: graphs per second, and per graph the statements, transactions, bytes of the log (WAL),
 * remaining rows and their bytes on disk. These determine the required server. Without a given server the script starts one, which
 * waits for the disk at each commit, as in production. Each kind of graph has a temporary schema.
 *
 *   node out/scripts/measure-postgres.js [postgres://…]
 */
import { createRequire } from "node:module";
import { loadavg } from "node:os";
import type { Pool } from "pg";
import { createEngine, openStore, systemClock, type GraphDefinition } from "svckit/graph";
import { chain, fanOut, runAll } from "./graph-load.ts";

const RUNS = 3;
const HOUR_MS = 3_600_000;

interface Plan {
  definition: GraphDefinition;
  graphs: number;
  /** Graphs that run at once. */
  concurrency: number;
}

const PLANS: readonly Plan[] = [
  { definition: chain, graphs: 100, concurrency: 1 },
  { definition: chain, graphs: 2000, concurrency: 32 },
  { definition: fanOut, graphs: 100, concurrency: 4 },
];

interface Cost {
  transactions: number;
  walBytes: number;
  statements: number;
}

let statements = 0;

/** Counts the statements of every connection of this process. */
function countStatements(pg: typeof import("pg")): void {
  const prototype = pg.Client.prototype as unknown as Record<"query", (...given: unknown[]) => unknown>;
  const { query } = prototype;
  prototype.query = function (...given) {
    statements++;
    return query.apply(this, given);
  };
}

async function costOf(pool: Pool): Promise<Cost> {
  // A connection reports its counts when it is idle, and the log's position at once.
  const { rows } = await pool.query<{ transactions: string; wal: string }>(
    "SELECT pg_stat_clear_snapshot(), (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal",
  );
  return { transactions: Number(rows[0]?.transactions), walBytes: Number(rows[0]?.wal), statements };
}

/** Rows and bytes of a schema after a vacuum. */
async function keptIn(schema: string, pool: Pool): Promise<{ rows: number; bytes: number }> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1",
    [schema],
  );
  await pool.query(`VACUUM ANALYZE ${tables.map(({ name }) => name).join(", ")}`);
  const { rows } = await pool.query<{ rows: number; bytes: number }>(
    `SELECT sum(reltuples)::float8 AS rows, sum(pg_total_relation_size(oid))::float8 AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`,
    [schema],
  );
  return rows[0] ?? { rows: Number.NaN, bytes: Number.NaN };
}

/** @param schema a new schema, whose remaining rows are counted */
async function measure(
  url: string,
  schema: string,
  { definition, graphs, concurrency }: Plan,
  pool: Pool,
): Promise<object> {
  const own = new URL(url);
  own.searchParams.set("schema", schema);
  const store = await openStore(own.href);
  const engine = createEngine({ store, graphs: [definition], clock: systemClock });
  let best = Infinity;
  const before = await costOf(pool);
  for (let run = 0; run < RUNS; run++)
    best = Math.min(best, await runAll(engine, definition.name, graphs, concurrency));
  const after = await costOf(pool);
  const kept = await keptIn(schema, pool);
  const full = await costOf(pool);
  await engine.purge({ finishedBeforeMs: Date.now() + HOUR_MS });
  const purged = await costOf(pool);
  await engine.close();
  await store.close();
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  const each = (name: keyof Cost): number => (after[name] - before[name]) / (graphs * RUNS);
  return {
    graph: definition.name,
    "at once": concurrency,
    "graphs/s": Math.round(graphs / best),
    "statements/graph": each("statements").toFixed(2),
    "WAL bytes/graph": Math.round(each("walBytes")),
    "of its purge": Math.round((purged.walBytes - full.walBytes) / (graphs * RUNS)),
    "rows kept/graph": (kept.rows / (graphs * RUNS)).toFixed(1),
    "bytes kept/graph": Math.round(kept.bytes / (graphs * RUNS)),
  };
}

/** The helper of the tests, which is not part of the published package. */
async function ownServer(): Promise<string> {
  const file = new URL("../testing/test-database.js", import.meta.url);
  const { startPostgres } = (await import(file.href)) as {
    startPostgres: (options: { isDurable: boolean }) => Promise<{ url: string }>;
  };
  return (await startPostgres({ isDurable: true })).url;
}

const url = process.argv[2] ?? (await ownServer());
const pg = createRequire(import.meta.url)("pg") as typeof import("pg");
countStatements(pg);
const pool = new pg.Pool({ connectionString: url, max: 1 });
const rows: object[] = [];
for (const [at, plan] of PLANS.entries()) rows.push(await measure(url, `svc_measure_${process.pid}_${at}`, plan, pool));
const { rows: versions } = await pool.query<{ server_version: string }>("SHOW server_version");
await pool.end();
console.log(
  `One process on PostgreSQL ${versions[0]?.server_version}, best of ${RUNS} runs (Node ${process.version}, load ${loadavg()[0]?.toFixed(1)})`,
);
console.table(rows);
process.exit(0);
