/** Kills a process whose runs wait, on SQLite and PostgreSQL: they stay rows after each start, and none is lost. */
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
const RUNS = 40;
/** Ticks of each process after its start when it is killed: before most waits are recorded, later, and after the sleep. */
const KILLS = [1, 4, 10, 3, 8, 75];
const PROGRAM = fileURLToPath(new URL("./wait-process.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "svc-waits-"));
const children: ChildProcess[] = [];

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

function start(url: string, ...args: string[]): { child: ChildProcess; lines: AsyncIterable<string> } {
  const env = { ...process.env, SVC_DATABASE_URL: url, NODE_ENV: "test" };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout as NodeJS.ReadableStream }) };
}

/** Kills the process after so many ticks from its start on. */
async function killAfter(ticks: number, { child, lines }: ReturnType<typeof start>): Promise<void> {
  let isUp = false;
  let left = ticks;
  for await (const line of lines) {
    if (line === "up") isUp = true;
    else if (isUp && line === "tick" && --left === 0) break;
  }
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function requireAll(url: string, name: string): Promise<void> {
  const journal = join(folder, name);
  const args = [journal, String(Date.now()), String(RUNS)];
  for (const ticks of KILLS) await killAfter(ticks, start(url, ...args));
  const ended: string[] = [];
  for await (const line of start(url, ...args, "end").lines) if (line.startsWith("=")) ended.push(line);
  assert.deepEqual(
    ended,
    Array.from({ length: RUNS }, (_, no) => `= ${no} went`),
  );
  const lines = readFileSync(journal, "utf8").trim().split("\n");
  for (const step of ["before", "between"])
    assert.equal(new Set(lines.filter((line) => line.startsWith(`${step} `))).size, RUNS, `${step} ran for every run`);
  // Each process would call every worker if no run stayed rows.
  const calls = lines.filter((line) => line.startsWith("call ")).length;
  assert.ok(calls < RUNS * (KILLS.length - 1), `${calls} calls of ${RUNS} runs in ${KILLS.length + 1} processes`);
}

describe("Runs that wait", () => {
  it("go on after kill -9 at any moment of their waits, and stay rows before", async () => {
    await requireAll(`sqlite:${join(folder, "waits.db")}`, "sqlite.txt");
  });

  it("go on after kill -9 on PostgreSQL, and stay rows before", { skip }, async () => {
    const database = await testDatabase();
    await requireAll(database.url, "postgres.txt");
    await database.drop();
  });
});
