/**
 * Cost of a long history: compares lists, filters and whole graphs on a large database of finished graphs with a small one, in turns.
 * Prints a table for docs/benchmarks.md.
 *
 *   node out/scripts/measure-history.js [finished graphs, default 1000000]
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { createEngine, openStore, systemClock, worker, type Engine, type GraphQuery, type Store } from "svckit/graph";

const COUNT = Number(process.argv[2] ?? 1_000_000);
/** Enough to fill a page of most results, so that both sides return equally much. */
const FEW = 20_000;
const ROUNDS = 60;
const WORKERS = 20;
/** One graph every two minutes, so that the history is years long. */
const STEP_MS = 120_000;

const work = worker("work", (input: number) => input + 1);

const QUERIES: [name: string, query: GraphQuery][] = [
  ["list", {}],
  ["by worker", { worker: "worker-7" }],
  ["by status", { status: "failed" }],
  ["by worker and status", { worker: "worker-7", status: "failed" }],
  ["by tag", { tag: "tag-3" }],
  ["by time", { sinceMs: Date.now() - 30 * 24 * 3_600_000 }],
  ["by text of an error", { error: "no route" }],
];

/** Crockford's base32 of a number, in SQL: ten characters. */
const TIME_SQL = Array.from(
  { length: 10 },
  (_, at) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${(9 - at) * 5}) & 31) + 1, 1)`,
).join(" || ");

async function fill(file: string, count: number): Promise<void> {
  await (await openStore(`sqlite:${file}`)).close();
  const driver = new Libsql(file);
  for (const pragma of ["synchronous = OFF", "cache_size = -200000"]) driver.prepare(`PRAGMA ${pragma}`).all();
  const beginMs = Date.now() - count * STEP_MS;
  driver.exec(`
    CREATE TEMP TABLE made AS
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1}), t AS (SELECT i, ${beginMs} + i * ${STEP_MS} AS ms FROM n)
    SELECT i, ms, 'g_' || ${TIME_SQL} || printf('%016d', i) AS id, 'worker-' || (i % ${WORKERS}) AS worker,
      CASE WHEN i % 11 = 0 THEN 'failed' ELSE 'done' END AS status, 'tag-' || (i % 10) AS tag FROM t;
    INSERT INTO graph (id, worker, status, phase, epoch, pause_no, input, result, error, tags, definition, created_ms, due_ms, started_ms, finished_ms)
    SELECT id, worker, status, status, 1, 0, '{"number":' || i || '}', '{"ok":true}',
      CASE WHEN status = 'failed' THEN '{"message":"no route to host","reason":"error"}' END, '["' || tag || '"]', 'd', ms, ms, ms, ms + 500 FROM made;
    INSERT INTO node (graph_id, id, worker, status, attempt, crashes, epoch, after, input, result, started_ms, finished_ms)
    SELECT id, 'work', worker, status, 1, 0, 1, '[]', NULL, '{"ok":true}', ms, ms + 500 FROM made;
    INSERT INTO event_run (graph_id, last_seq, events)
    SELECT id, s.value, json_array(json_array('node.ready', ms, 'work'), json_array('node.started', ms, 'work')) FROM made, json_each('[2,4]') AS s;
    INSERT INTO graph_total SELECT worker, status, count(*) FROM made GROUP BY 1, 2;
    INSERT INTO graph_tag SELECT tag, status, id FROM made ORDER BY 1, 2, 3;`);
  driver.close();
}

interface Side {
  store: Store;
  engine: Engine;
}

async function open(file: string): Promise<Side> {
  const store = await openStore(`sqlite:${file}`);
  const engine = createEngine({ store, clock: systemClock, workers: [work] });
  await engine.recover();
  return { store, engine };
}

async function time(run: () => unknown): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.trunc(times.length / 2)] as number;
}

async function compare(name: string, sides: readonly Side[], run: (side: Side) => unknown): Promise<void> {
  const times: number[][] = sides.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, side] of sides.entries()) times[at]?.push(await time(() => run(side)));
  const [few, many] = times.map(median) as [number, number];
  console.log(`| ${name} | ${few.toFixed(2)} ms | ${many.toFixed(2)} ms | ${(many / few).toFixed(2)} |`);
}

async function runOne({ engine }: Side): Promise<void> {
  await engine.start("work", 1);
  await engine.idle();
}

const folder = mkdtempSync(join(tmpdir(), "svc-history-"));
try {
  const files = ["few.db", "many.db"].map((name) => join(folder, name)) as [string, string];
  await fill(files[0], FEW);
  const fillMs = await time(() => fill(files[1], COUNT));
  const bytes = statSync(files[1]).size;
  console.log(`${COUNT} graphs, ${Math.round(bytes / 1e6)} MB, made in ${Math.round(fillMs / 1000)} s\n`);
  console.log(`| | ${FEW} finished | ${COUNT} finished | ratio |\n|---|--:|--:|--:|`);
  const sides = [await open(files[0]), await open(files[1])];
  for (const [name, query] of QUERIES) await compare(name, sides, ({ store }) => store.graphs.list(query));
  await compare("page of snapshots", sides, ({ engine }) => engine.list({}));
  await compare("counts by status", sides, ({ store }) => store.graphs.countByStatus());
  await compare("start to end", sides, runOne);
  for (const { engine, store } of sides) {
    await engine.close();
    await store.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
