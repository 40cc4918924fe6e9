/**
 * Kills the processes of `kill-process.ts` at any moment, again and again, and freezes some: then a second process takes
 * their database, and they wake up in the middle of its work. The last one may end its work, and all of it is checked.
 */
import { spawn, type ChildProcess } from "node:child_process";
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { checkAll, type Report } from "./kill-check.ts";
import type { Order } from "./kill-process.ts";

export interface RunOptions {
  /** An empty folder. */
  folder: string;
  kills: number;
  /** Of the graphs that are started; the last process starts what is left of them. */
  graphs: number;
  /** Processes that are frozen while another takes their database. */
  zombies: number;
  /** No more kills after this time, and no more graphs than were acknowledged by then. */
  seconds: number;
  seed: number;
  progress?: (text: string) => void;
}

export interface RunReport extends Report {
  kills: number;
  zombies: number;
  /** Zombies whose database another process had by the time they went on. */
  lost: number;
  /** Those of them whose next commit the store refused. */
  fenced: number;
  /** Processes that were not let in while another had the database. */
  keptOut: number;
}

/** A process is killed so long after the last start that it was let to acknowledge, at most. */
const LATEST_MS = 20;
/** Longest that starts are waited for: a process that is slow, or has none left, is killed all the same. */
const LONGEST_LIFE_MS = 3000;
/** However little time is left for all the kills, each meets some work. */
const SHORTEST_LIFE_MS = 30;
/** Within the five seconds that who opens a file waits for another's transaction. */
const MOST_FREEZES = 10;
/** Longest that a process is silent. */
const PATIENCE_MS = 120_000;

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

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** One process, from its loading to its death. */
class Victim {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #exit: Promise<unknown>;
  /** What it said that was neither a start nor that it is up. */
  readonly said: string[] = [];
  #started = 0;
  #wake: () => void = () => undefined;

  constructor(onStart: (index: number, id: string) => void) {
    const script = join(fileURLToPath(import.meta.url), "../kill-process.js");
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, "wait-for-order"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // A process that is killed before it has read its order.
    this.#child.stdin?.on("error", () => undefined);
    this.#lines = createInterface({ input: this.#child.stdout! });
    this.#exit = Promise.all([once(this.#child, "exit"), once(this.#lines, "close")]);
    this.#lines.on("line", (line) => {
      const started = /^\+(\d+) (\S+)$/.exec(line);
      if (started) {
        this.#started++;
        onStart(Number(started[1]), started[2] as string);
      } else this.said.push(line);
      this.#wake();
    });
    void this.#exit.then(() => this.#wake());
  }

  order(order: Order): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Until it says a line that begins so, or is gone. @returns whether it said it. */
  async says(word: string): Promise<boolean> {
    const found = (): boolean => this.said.some((line) => line.startsWith(word));
    const giveUp = (): void => {
      this.said.push(`was silent for ${PATIENCE_MS / 1000} s`);
      this.signal("SIGKILL");
    };
    while (!found() && !this.isGone) {
      const deadline = setTimeout(giveUp, PATIENCE_MS);
      await new Promise<void>((wake) => (this.#wake = wake));
      clearTimeout(deadline);
    }
    if (this.isGone) await this.#exit;
    return found();
  }

  /** Until it has acknowledged so many starts, or for long enough. */
  async starts(count: number, longestMs: number): Promise<void> {
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, longestMs);
    while (this.#started < count && !isLate && !this.isGone) await new Promise<void>((wake) => (this.#wake = wake));
    clearTimeout(deadline);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#exit;
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #file: string;
  readonly #calls: string;
  readonly #random: () => number;
  readonly #acknowledged = new Map<number, string>();
  #spare: Victim;
  #kills = 0;
  /** No more kills from here on. */
  #endMs = 0;
  #zombies = 0;
  #lost = 0;
  #fenced = 0;
  #keptOut = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#file = join(options.folder, "graphs.db");
    this.#calls = join(options.folder, "calls.txt");
    this.#random = randomOf(options.seed);
    this.#spare = this.#load();
  }

  async run(): Promise<RunReport> {
    const { kills, zombies, seconds } = this.#options;
    this.#endMs = performance.now() + seconds * 1000;
    // Zombies are spread over the kills.
    while (this.#kills < kills && performance.now() < this.#endMs) {
      const isZombie = this.#zombies < zombies && this.#kills >= (this.#zombies * kills) / zombies;
      await (isZombie ? this.#freezeOne() : this.#killOne());
      if (this.#kills % 20 === 0) this.#logProgress();
    }
    await this.#finish(this.#kills < kills ? this.#acknowledged.size : this.#options.graphs);
    assert.ok(this.#lost === 0 || this.#fenced > 0, `${this.#lost} lost their file, and none was refused`);
    const isWhole = this.#acknowledged.size === this.#options.graphs;
    const report = await checkAll(this.#file, this.#calls, this.#acknowledged, { kills: this.#kills, isWhole });
    return {
      ...report,
      kills: this.#kills,
      zombies: this.#zombies,
      lost: this.#lost,
      fenced: this.#fenced,
      keptOut: this.#keptOut,
    };
  }

  /** The next process loads while the one before it works. */
  #load(): Victim {
    return new Victim((index, id) => {
      const known = this.#acknowledged.get(index);
      assert.ok(known === undefined || known === id, `the key of graph ${index} gave ${id} after ${known}`);
      this.#acknowledged.set(index, id);
    });
  }

  /** @param last of how many graphs, when it may end its work. */
  #begin(last?: number): Victim {
    const victim = this.#spare;
    const next = Math.max(-1, ...this.#acknowledged.keys()) + 1;
    const missing = Array.from({ length: next }, (_, index) => index).filter((index) => !this.#acknowledged.has(index));
    const graphs = last ?? this.#options.graphs;
    victim.order({
      file: this.#file,
      calls: this.#calls,
      missing,
      next,
      graphs,
      isLast: last !== undefined,
    });
    this.#spare = this.#load();
    return victim;
  }

  async #killOne(): Promise<void> {
    const victim = this.#begin();
    await this.#work(victim);
    await this.#bury(victim);
  }

  /** As long as it takes for its part of the graphs, by their number, since how fast they go is the machine's; and no longer than its part of the time. */
  async #work(victim: Victim): Promise<void> {
    const { graphs, kills } = this.#options;
    const turnEndMs = performance.now() + (this.#endMs - performance.now()) / (kills - this.#kills);
    assert.ok(await victim.says("up"), `a process does not come up: ${victim.said.join()}`);
    const longestMs = Math.min(LONGEST_LIFE_MS, Math.max(SHORTEST_LIFE_MS, turnEndMs - performance.now()));
    await victim.starts(Math.round(this.#random() * 2 * (graphs / kills)), longestMs);
    await pause(this.#random() * LATEST_MS);
  }

  async #freezeOne(): Promise<void> {
    const zombie = this.#begin();
    await this.#work(zombie);
    zombie.signal("SIGSTOP");
    const second = this.#begin();
    assert.ok(await second.says("refused"), "a second process was let in beside one that is only frozen");
    this.#keptOut++;
    // What should never be done: then the file has two owners, and only its tenure and the fences are left.
    rmSync(`${this.#file}.lock`, { force: true });
    const successor = this.#begin();
    const hasTaken = await this.#takesFrom(zombie, successor);
    if (hasTaken) await pause(this.#random() * 60);
    zombie.signal("SIGCONT");
    if (hasTaken) await this.#isRefused(zombie);
    await pause(100 + this.#random() * 100);
    await this.#bury(zombie);
    await this.#bury(successor);
    this.#zombies++;
  }

  /** One frozen within a transaction keeps the other out by itself: it is let go on for a moment, and frozen again elsewhere. */
  async #takesFrom(zombie: Victim, successor: Victim): Promise<boolean> {
    const up = successor.says("up");
    const isUp = (ms: number): Promise<boolean> => Promise.race([up, pause(ms).then(() => false)]);
    let hasTaken = await isUp(1000);
    for (let times = 0; times < MOST_FREEZES && !hasTaken; times++) {
      zombie.signal("SIGCONT");
      await pause(this.#random() * LATEST_MS);
      zombie.signal("SIGSTOP");
      hasTaken = await isUp(300);
    }
    return hasTaken;
  }

  /** It goes on where it stood; one that has nothing left to do has nothing to be refused. */
  async #isRefused(zombie: Victim): Promise<void> {
    this.#lost++;
    const isFenced = await Promise.race([zombie.says("fenced"), pause(LONGEST_LIFE_MS).then(() => false)]);
    if (isFenced) this.#fenced++;
  }

  async #bury(victim: Victim): Promise<void> {
    await victim.kill();
    this.#kills++;
  }

  async #finish(graphs: number): Promise<void> {
    this.#logProgress();
    const last = this.#begin(graphs);
    // Nobody is left to take it.
    await this.#spare.kill();
    assert.ok(await last.says("finished"), `the last process does not finish: ${last.said.slice(-5).join("; ")}`);
    assert.ok(this.#acknowledged.size >= graphs, `${this.#acknowledged.size} of ${graphs} graphs were acknowledged`);
  }

  #logProgress(): void {
    const { progress, kills, graphs } = this.#options;
    progress?.(`${this.#kills} of ${kills} kills, ${this.#acknowledged.size} of ${graphs} graphs acknowledged`);
  }
}

/** @throws AssertionError naming what was lost, doubled or is stuck. */
export function runKills(options: RunOptions): Promise<RunReport> {
  return new Run(options).run();
}
