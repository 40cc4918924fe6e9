/** Kills processes while a run sets attributes, on SQLite and PostgreSQL: no value is lost, and a replay repeats none. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { testDatabase, withoutPostgres } from "svckit/testing";
import { VALUES } from "./attributes-process.ts";

const skip = await withoutPostgres();
const PROGRAM = fileURLToPath(new URL("./attributes-process.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "svc-attributes-"));
const children: ChildProcess[] = [];

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Reported {
  /** The value that the worker has set, or has set before. */
  set: number;
  stored: { value: number; isEven: boolean; first?: number };
}

/** Runs the process until it has reported this value, and kills it then. @returns all its lines */
async function linesUntil(url: string, last: number): Promise<string[]> {
  const env = { ...process.env, SVC_DATABASE_URL: url, NODE_ENV: "test" };
  const mode = last === Infinity ? "end" : String(last);
  const child = spawn(process.execPath, [PROGRAM, mode], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    lines.push(line);
    if (line.startsWith(`+ ${last} `)) break;
  }
  if (last !== Infinity) child.kill("SIGKILL");
  await ended;
  return lines;
}

function reportsIn(lines: readonly string[]): Reported[] {
  return lines
    .filter((line) => line.startsWith("+"))
    .map((line) => {
      const [, set = "", stored = ""] = /^\+ (\d+) (.*)$/.exec(line) ?? [];
      return { set: Number(set), stored: JSON.parse(stored) as Reported["stored"] };
    });
}

async function requireOnce(url: string, kills: readonly number[]): Promise<void> {
  let highest = 0;
  let lines: string[] = [];
  for (const last of [...kills, Infinity]) {
    lines = await linesUntil(url, last);
    for (const { set, stored } of reportsIn(lines)) {
      assert.ok(stored.value >= Math.max(set, highest), `${stored.value} is stored after ${highest} was, at ${set}`);
      assert.equal(stored.isEven, stored.value % 2 === 0, "both values of a call are stored together");
      assert.equal(stored.first, stored.value < 2 ? 0 : undefined, "a removed attribute does not return");
      highest = stored.value;
    }
  }
  assert.equal(highest, VALUES);
  const changes = lines.filter((line) => line.startsWith("="));
  assert.deepEqual(
    changes,
    Array.from({ length: VALUES }, (_, at) => `= ${at + 1}`),
  );
  assert.ok(lines.includes("found true"));
}

describe("Attributes of runs", () => {
  it("are neither lost nor repeated after kill -9 at any moment", async () => {
    await requireOnce(`sqlite:${join(folder, "attributes.db")}`, [1, 9, 24, 51]);
  });

  it("are neither lost nor repeated on PostgreSQL", { skip }, async () => {
    const database = await testDatabase();
    await requireOnce(database.url, [3, 30]);
    await database.drop();
  });
});
