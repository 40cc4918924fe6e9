/** Kills processes that send events, on SQLite and with a second process on PostgreSQL: each event starts and resumes its run once. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { testDatabase, withoutPostgres } from "svckit/testing";

const skip = await withoutPostgres();
const ORDERS = 60;
/** Acknowledged orders of each process when it is killed. */
const KILLS = [1, 7, 16, 3, 12];
const PROGRAM = fileURLToPath(new URL("./event-process.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "svc-events-"));
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

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Sends orders until `count` are acknowledged, then kills the process. @returns the next order: the last one may be stored or not. */
async function sendAndKill(url: string, first: number, count: number): Promise<number> {
  const { child, lines } = start(url, String(first), String(ORDERS));
  let next = first;
  for await (const line of lines) if (line.startsWith("+") && ++next - first === count) break;
  await kill(child);
  return next;
}

async function requireOnce(url: string): Promise<void> {
  let next = 0;
  for (const count of KILLS) next = await sendAndKill(url, next, count);
  const runs: string[] = [];
  // Repeats the order that may have been stored without an acknowledgement.
  for await (const line of start(url, String(next), String(ORDERS), "end").lines)
    if (line.startsWith("=")) runs.push(line);
  const expected = Array.from({ length: ORDERS }, (_, no) => `= ${no} ${no * 100}`);
  assert.deepEqual(runs.sort(), expected.sort());
}

describe("Events", () => {
  it("starts and resumes every run once after kill -9 at any moment", async () => {
    await requireOnce(`sqlite:${join(folder, "events.db")}`);
  });

  it("starts and resumes every run once although one of two processes is killed", { skip }, async () => {
    const database = await testDatabase();
    const other = start(database.url, "0", "0");
    for await (const line of other.lines) if (line === "up") break;
    await requireOnce(database.url);
    await kill(other.child);
    await database.drop();
  });
});
