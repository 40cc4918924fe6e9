/**
 * Kills the processes of `kill-process.ts` at random moments, again and again. Freezes some: a second process then takes over their
 * database, and they resume in the middle of its work. The last process completes the work, and everything is checked.
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
  /** Number of runs to start. The last process starts those that remain. */
  graphs: number;
  /** Number of processes that are frozen while another takes over their database. */
  zombies: number;
  /** After this time no more processes are killed, and no runs are started beyond those acknowledged by then. */
  seconds: number;
  seed: number;
  progress?: (text: string) => void;
}

export interface RunReport extends Report {
  kills: number;
  zombies: number;
  /** Zombies whose database another process had taken by the time they resumed. */
  lost: number;
  /** Zombies among those whose next commit the store rejected. */
  fenced: number;
  /** Processes that could not open the database while another had it. */
  keptOut: number;
}

/** Maximum delay between the last awaited start and the kill. */
const LATEST_MS = 20;
/** Maximum wait for starts. A process that is slow or has none left is killed all the same. */
const LONGEST_LIFE_MS = 3000;
/** Minimum lifetime, so that each kill interrupts some work even if little time is left. */
const SHORTEST_LIFE_MS = 30;
/** Keeps the total below five seconds, for which opening a file waits for another process's transaction. */
const MOST_FREEZES = 10;
/** Maximum time without output. */
const PATIENCE_MS = 120_000;

/** Mulberry32, so that a seed reproduces the moments of the kills. */
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

/** One process, from start to death. */
class Victim {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #exit: Promise<unknown>;
  /** Its output, except for acknowledged starts. */
  readonly said: string[] = [];
  #started = 0;
  #wake: () => void = () => undefined;

  constructor(onStart: (index: number, id: string) => void) {
    const script = join(fileURLToPath(import.meta.url), "../kill-process.js");
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, "wait-for-order"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // Writing fails if the process is killed before it has read its order.
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

  /** Waits for a line with this prefix, or the end of the process. @returns whether the line was printed. */
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

  /** Waits until this many starts are acknowledged, or until the time is over. */
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
  /** Time after which no more processes are killed. */
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
    // Spread the zombies over the kills.
    while (this.#kills < kills && performance.now() < this.#endMs) {
      const isZombie = this.#zombies < zombies && this.#kills >= (this.#zombies * kills) / zombies;
      await (isZombie ? this.#freezeOne() : this.#killOne());
      if (this.#kills % 20 === 0) this.#logProgress();
    }
    await this.#finish(this.#kills < kills ? this.#acknowledged.size : this.#options.graphs);
    assert.ok(this.#lost === 0 || this.#fenced > 0, `${this.#lost} lost their file, and none was fenced`);
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

  /** Starts the next process, which loads while the current one works. */
  #load(): Victim {
    return new Victim((index, id) => {
      const known = this.#acknowledged.get(index);
      assert.ok(known === undefined || known === id, `the key of run ${index} returned ${id} after ${known}`);
      this.#acknowledged.set(index, id);
    });
  }

  /** @param last total number of runs, for the process that may complete its work. */
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

  /** Lets a process start its share of the runs, so that fast machines do not do more, but no longer than its share of the time. */
  async #work(victim: Victim): Promise<void> {
    const { graphs, kills } = this.#options;
    const turnEndMs = performance.now() + (this.#endMs - performance.now()) / (kills - this.#kills);
    assert.ok(await victim.says("up"), `a process did not start: ${victim.said.join()}`);
    const longestMs = Math.min(LONGEST_LIFE_MS, Math.max(SHORTEST_LIFE_MS, turnEndMs - performance.now()));
    await victim.starts(Math.round(this.#random() * 2 * (graphs / kills)), longestMs);
    await pause(this.#random() * LATEST_MS);
  }

  async #freezeOne(): Promise<void> {
    const zombie = this.#begin();
    await this.#work(zombie);
    zombie.signal("SIGSTOP");
    const second = this.#begin();
    assert.ok(await second.says("refused"), "a second process opened the database while the first was only frozen");
    this.#keptOut++;
    // Simulates a broken lock: the file then has two owners, and only the fencing token and the fences protect it.
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

  /** A process frozen within a transaction blocks the successor. It is resumed for a moment and frozen again elsewhere. */
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

  /** Waits for the zombie's commit to be rejected. A zombie without remaining work commits nothing. */
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
    // No further process follows.
    await this.#spare.kill();
    assert.ok(await last.says("finished"), `the last process did not finish: ${last.said.slice(-5).join("; ")}`);
    assert.ok(this.#acknowledged.size >= graphs, `${this.#acknowledged.size} of ${graphs} runs were acknowledged`);
  }

  #logProgress(): void {
    const { progress, kills, graphs } = this.#options;
    progress?.(`${this.#kills} of ${kills} kills, ${this.#acknowledged.size} of ${graphs} runs acknowledged`);
  }
}

/** @throws AssertionError that names what was lost, duplicated or stuck. */
export function runKills(options: RunOptions): Promise<RunReport> {
  return new Run(options).run();
}
