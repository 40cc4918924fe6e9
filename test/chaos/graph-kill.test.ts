/** An engine killed again and again at any moment: what it acknowledged is there, and happens once. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../e2e/demo-server.ts";
import { checkJournal } from "./graph-journal.ts";
import { GRAPHS, ITEMS, type Ended } from "./graph-process.ts";

const KILLS = 10;
/** Long enough to boot and commit, short enough not to end. */
const LONGEST_LIFE_MS = 350;
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

const folder = temporaryFolder();
after(() => folder.remove());

/** Mulberry32: kills at moments that a seed brings back. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function startProcess(): ChildProcess {
  const script = join(fileURLToPath(import.meta.url), "../graph-process.js");
  return spawn(process.execPath, [script, `sqlite:${join(folder.path, "graphs.db")}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Runs the process until it ends or is killed. @returns what it printed that it had ended, if it got so far. */
async function runOnce(acknowledged: Map<number, string>, killAfterMs?: number): Promise<Ended[] | undefined> {
  const child = startProcess();
  let ended: Ended[] | undefined;
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  for await (const line of createInterface({ input: child.stdout! })) {
    const [word, first, second] = line.split(" ");
    if (word === "ended") ended = JSON.parse(line.slice("ended ".length)) as Ended[];
    if (word !== "started" || second === undefined) continue;
    const known = acknowledged.get(Number(first));
    assert.ok(known === undefined || known === second, `the key of graph ${first} gave ${second} after ${known}`);
    acknowledged.set(Number(first), second);
  }
  const code = await exited;
  clearTimeout(timer);
  if (killAfterMs === undefined) assert.equal(code, 0, "the last process ends by itself");
  return ended;
}

function checkEvents({ id, events }: Ended): void {
  checkJournal(id, events);
  const done = events.filter(({ type }) => type === "node.done").map(({ node }) => node);
  assert.equal(new Set(done).size, ITEMS + 2, `${id}: every node was committed`);
  assert.equal(done.length, ITEMS + 2, `${id}: no node was committed twice`);
  assert.equal(events.filter(({ type }) => type === "graph.done").length, 1);
  assert.equal(events.at(-1)?.type, "graph.done");
}

describe(`an engine killed ${KILLS} times (CHAOS_SEED=${seed})`, () => {
  it("ends every acknowledged graph once, each node committed once, events in order, results right", async (test) => {
    const random = randomOf(seed);
    const acknowledged = new Map<number, string>();
    let cutShort = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const ended = await runOnce(acknowledged, 120 + random() * LONGEST_LIFE_MS);
      if (!ended) cutShort++;
    }
    assert.ok(cutShort >= KILLS / 2, `only ${cutShort} of ${KILLS} kills met work: give the process more of it`);
    const before = acknowledged.size;
    const ended = (await runOnce(acknowledged)) ?? [];
    test.diagnostic(
      `${before} of ${GRAPHS} graphs were acknowledged before the last kill; ${cutShort} of ${KILLS} kills met work`,
    );
    assert.equal(ended.length, GRAPHS);
    const byId = new Map(ended.map((graph) => [graph.id, graph]));
    assert.equal(byId.size, GRAPHS);
    for (const [at, id] of acknowledged) {
      const graph = byId.get(id);
      assert.ok(graph, `graph ${at} was acknowledged as ${id} and is gone`);
      assert.equal(graph.status, "done");
      // The sum of 2 * (at + 0 … at + ITEMS - 1).
      assert.equal(graph.result, ITEMS * (2 * at + ITEMS - 1));
      checkEvents(graph);
    }
  });
});
