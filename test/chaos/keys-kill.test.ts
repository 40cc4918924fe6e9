/** Kills `svc keys rotate` in the middle of its work. Every value stays readable, and the next call continues. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createEngine, openStore, systemClock, worker, type Engine } from "svckit/graph";
import { testDatabase, withoutPostgres } from "svckit/testing";
import { temporaryFolder } from "../e2e/demo-server.ts";

const SVC = join(fileURLToPath(import.meta.url), "../../../../bin/svc.js");
const RUNS = 400;
const OLD = { id: "old", secret: "o".repeat(32) };
const NEW = { id: "new", secret: "n".repeat(32) };
const echo = worker("echo", (n: number) => ({ text: `value ${n}` }));

interface Ended {
  code: number | null;
  lines: { type: string; [key: string]: unknown }[];
}

/** @param killAfter number of slices after which the process is killed */
async function rotate(databaseUrl: string, killAfter = Infinity): Promise<Ended> {
  const SVC_PAYLOAD_KEYS = [NEW, OLD].map(({ id, secret }) => `${id}:${secret}`).join(",");
  const child = spawn(process.execPath, [SVC, "keys", "rotate", "--json", "--from", databaseUrl], {
    env: { ...process.env, SVC_PAYLOAD_KEYS },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Ended["lines"] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Ended["lines"][number]);
    if (lines.length >= killAfter) child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((ended) => child.once("close", ended));
  return { code, lines };
}

async function within<Result>(url: string, payloadKeys: (typeof OLD)[], use: (engine: Engine) => Promise<Result>) {
  const store = await openStore(url, { payloadKeys });
  const engine = createEngine({ store, workers: [echo], clock: systemClock });
  try {
    return await use(engine);
  } finally {
    await engine.close();
    await store.close();
  }
}

async function resultsOf(engine: Engine): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await engine.list({ worker: "echo", limit: 200, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.map(({ result }) => JSON.stringify(result)));
    cursor = page.nextCursor;
  }
  return found.toSorted();
}

async function isRotated(url: string): Promise<void> {
  const expected = await within(url, [OLD], async (engine) => {
    const runs = await Promise.all(Array.from({ length: RUNS }, (_, at) => engine.start(echo, at)));
    for (const run of runs) await run.result();
    return resultsOf(engine);
  });
  assert.equal(new Set(expected).size, RUNS);
  for (const killAfter of [2, 5, 9]) {
    const { code } = await rotate(url, killAfter);
    assert.equal(code, null, "it was killed");
    assert.deepEqual(await within(url, [NEW, OLD], resultsOf), expected);
  }
  const { code, lines } = await rotate(url);
  assert.equal(code, 0);
  const { keys, unencrypted } = lines.at(-1) as unknown as {
    keys: { id: string; values: number }[];
    unencrypted: number;
  };
  assert.deepEqual([keys[1]?.id, keys[1]?.values, unencrypted], ["old", 0, 0]);
  assert.ok((keys[0]?.values ?? 0) > RUNS);
  assert.deepEqual(await within(url, [NEW], resultsOf), expected);
}

const noPostgres = await withoutPostgres();

describe("A rotation of payload keys that is killed three times", () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it("leaves every value readable on SQLite, and ends with all of them under the new key", () =>
    isRotated(`sqlite:${join(folder.path, "svc.db")}`));

  it(
    "leaves every value readable on PostgreSQL, and ends with all of them under the new key",
    { skip: noPostgres },
    async () => {
      const database = await testDatabase();
      try {
        await isRotated(database.url);
      } finally {
        await database.drop();
      }
    },
  );
});
