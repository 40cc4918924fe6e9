/** Kills processes whose graph limits its active runs, on SQLite and with a second process on PostgreSQL. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { testDatabase, withoutPostgres } from "svckit/testing";

const skip = await withoutPostgres();
const RUNS = 60;
const LIMIT = 2;
/** Acknowledged runs of each process when it is killed. A third kill during the same node would fail its run as poison. */
const KILLS = [9, 17];
const PROGRAM = fileURLToPath(new URL("./flow-process.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "svc-flow-"));
const children: ChildProcess[] = [];

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

function start(url: string, journal: string, ...args: string[]): { child: ChildProcess; lines: AsyncIterable<string> } {
  const env = { ...process.env, SVC_DATABASE_URL: url, NODE_ENV: "test" };
  const child = spawn(process.execPath, [PROGRAM, journal, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout as NodeJS.ReadableStream }) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Starts runs until `count` are acknowledged, then kills the process. @returns the next run: the last one may be stored or not. */
async function startAndKill(url: string, journal: string, first: number, count: number): Promise<number> {
  const { child, lines } = start(url, journal, String(first), String(RUNS));
  let next = first;
  for await (const line of lines) if (line.startsWith("+") && ++next - first === count) break;
  await kill(child);
  return next;
}

/** Most runs of a key that were between their begin and their end. A killed run is still active, and begins again. */
function mostActive(journal: string): number {
  const active = new Map<string, Set<string>>();
  let most = 0;
  for (const line of readFileSync(journal, "utf8").trim().split("\n")) {
    const [what, key = "", run = ""] = line.split(" ");
    const runs = active.get(key) ?? new Set();
    active.set(key, runs);
    if (what === "begin") runs.add(run);
    else runs.delete(run);
    most = Math.max(most, runs.size);
  }
  return most;
}

async function requireLimit(url: string, journal: string): Promise<void> {
  let next = 0;
  for (const count of KILLS) next = await startAndKill(url, journal, next, count);
  const results: string[] = [];
  for await (const line of start(url, journal, String(next), String(RUNS), "end").lines)
    if (line.startsWith("=")) results.push(line);
  const expected = Array.from({ length: RUNS }, (_, no) => `= ${no} ${no * 2}`);
  assert.deepEqual(results.sort(), expected.sort());
  assert.ok(mostActive(journal) <= LIMIT);
}

describe("Runs of a graph with a limit", () => {
  it("all end, and never more are active than the limit, after kill -9 at any moment", async () => {
    const journal = join(folder, "sqlite.txt");
    await requireLimit(`sqlite:${join(folder, "svc.db")}`, journal);
    assert.equal(mostActive(journal), LIMIT, "runs were active at the same time");
  });

  it(
    "all end, and never more are active than the limit, with two processes on PostgreSQL that are killed",
    { skip },
    async () => {
      const database = await testDatabase();
      const journal = join(folder, "postgres.txt");
      const other = start(database.url, journal);
      await requireLimit(database.url, journal);
      await kill(other.child);
      await database.drop();
    },
  );
});
