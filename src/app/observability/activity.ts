/**
 * Activity of runs over all processes and restarts: each process stores its own counts every few seconds while there is something to
 * count, and reads those of others on demand. A killed process loses the last few seconds.
 */
import { randomBytes } from "node:crypto";
import type { QueueReport } from "../../graphs/machine/report-types.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ActivityRow, ActivityRows } from "../../storage/contract/activity.ts";
import { minuteJson, readMinute } from "./metrics/minute-counts.ts";
import { DAY, type RecentMinutes } from "./metrics/recent-activity.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Interval of saves, one small row each. */
const SAVE_MS = 5000;
/** Interval for checking whether anything runs or waits, in time for the next save. */
const LOOK_MS = 1000;
/** Results are reused for this time. */
const FRESH_MS = 1000;
/** A process without news of its queues for this time has empty ones, or is gone. */
const SILENT_MS = 3 * SAVE_MS;

export interface ActivityOptions {
  rows: ActivityRows;
  recent: RecentMinutes;
  clock: Clock;
  log: Log;
  /** Queues and running nodes of this process. */
  queueReports: () => QueueReport[];
  /** Whether other processes share the store. */
  isShared: boolean;
}

/** Queues and running nodes of another process. */
interface OtherQueues {
  saidMs: number;
  queueReports: readonly QueueReport[];
}

export class ActivityLog {
  readonly #options: ActivityOptions;
  readonly #process = randomBytes(9).toString("base64url");
  readonly #others = new Map<string, OtherQueues>();
  #timer: Timer | undefined;
  #looking: Timer | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Minute up to which everything is known; undefined before the first read. */
  #knownMs: number | undefined;
  /** Time of the last read, on the monotonic clock. */
  #readMs = -Infinity;
  /** The current read, which concurrent callers share. */
  #reading: Promise<void> | undefined;
  #purgedMs = -Infinity;
  #isClosed = false;

  constructor(options: ActivityOptions) {
    this.#options = options;
    if (options.isShared) this.#look();
  }

  /** There is something to save. */
  changed(): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = this.#options.clock.schedule(SAVE_MS, () => {
      this.#timer = undefined;
      this.#saving = this.#saving.then(() => this.#save());
    });
  }

  /** Reads the counts of others. */
  refresh(): Promise<void> {
    const { clock, isShared } = this.#options;
    const isKnown = clock.elapsed() - this.#readMs < FRESH_MS || (!isShared && this.#knownMs !== undefined);
    if (!this.#reading && isKnown) return Promise.resolve();
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<void> {
    const { rows, recent, clock, log } = this.#options;
    this.#readMs = clock.elapsed();
    const nowMs = clock.now();
    try {
      // Late counts of a past minute arrive for a while; and the clock may have been set back.
      const knownMs = nowMs - 2 * MINUTE_MS;
      const found = await rows.since(Math.min(this.#knownMs ?? nowMs - DAY * MINUTE_MS, knownMs));
      for (const row of found) this.#learn(row, recent);
      this.#knownMs = knownMs;
    } catch (err) {
      log.warn({ err }, "Failed to read the activity of other processes");
    }
  }

  /** Queues and running nodes of all processes. */
  queueReports(): QueueReport[] {
    const nowMs = this.#options.clock.now();
    for (const [process, { saidMs }] of this.#others) if (nowMs - saidMs >= SILENT_MS) this.#others.delete(process);
    const others = [...this.#others.values()];
    const sums = new Map<string, QueueReport>();
    for (const queueReport of [...this.#options.queueReports(), ...others.flatMap(({ queueReports }) => queueReports)])
      sums.set(queueReport.worker, sumOfQueues(sums.get(queueReport.worker), queueReport));
    return [...sums.values()];
  }

  /** Saves what has not been saved. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#looking?.cancel();
    await this.#saving;
    await this.#save();
  }

  #learn({ process, atMs, data }: ActivityRow, recent: RecentMinutes): void {
    if (process === this.#process) return;
    recent.learn(process, readMinute(Math.floor(atMs / MINUTE_MS), data));
    const said = readQueueReports(data);
    if (said && said.saidMs >= (this.#others.get(process)?.saidMs ?? 0)) this.#others.set(process, said);
  }

  async #save(): Promise<void> {
    const { rows, recent, clock, log } = this.#options;
    const minutes = recent.takeUnsaved();
    const queueReports = this.#queuesJson();
    const nowMs = clock.now();
    const last = minutes.at(-1);
    const toSave = minutes.map((minute) => ({
      process: this.#process,
      atMs: minute.at * MINUTE_MS,
      data:
        minute === last && queueReports
          ? { ...(minuteJson(minute) as { [key: string]: Json }), lanes: queueReports }
          : minuteJson(minute),
    }));
    try {
      if (toSave.length === 0) return;
      await rows.save(toSave);
      if (nowMs - this.#purgedMs > HOUR_MS) {
        this.#purgedMs = nowMs;
        await rows.purge(nowMs - (DAY + 60) * MINUTE_MS);
      }
    } catch (err) {
      recent.putBack(minutes);
      log.debug({ err }, "Failed to save the activity of runs");
      this.changed();
    }
  }

  /** Saves running and queued nodes as well: a long attempt or a paused queue changes no count. */
  #look(): void {
    const { clock, queueReports, recent } = this.#options;
    this.#looking = clock.schedule(LOOK_MS, () => {
      if (queueReports().some(isBusy)) recent.touch();
      this.#look();
    });
  }

  #queuesJson(): Json | undefined {
    const { isShared, queueReports, clock } = this.#options;
    if (!isShared) return undefined;
    const nowMs = clock.now();
    return {
      said_ms: nowMs,
      of: queueReports()
        .filter(isBusy)
        .map(({ worker, running, waiting, sinceMs }) => [worker, running, waiting, sinceMs ?? null]),
    };
  }
}

function isBusy({ running, waiting }: QueueReport): boolean {
  return running > 0 || waiting > 0;
}

function sumOfQueues(one: QueueReport | undefined, other: QueueReport): QueueReport {
  if (!one) return other;
  const since = [one.sinceMs, other.sinceMs].filter((ms) => ms !== undefined);
  return {
    worker: one.worker,
    running: one.running + other.running,
    waiting: one.waiting + other.waiting,
    ...(since.length > 0 && { sinceMs: Math.min(...since) }),
  };
}

function readQueueReports(data: Json): OtherQueues | undefined {
  const queueReports = fieldOf(data, "lanes");
  const saidMs = fieldOf(queueReports, "said_ms");
  const of = fieldOf(queueReports, "of");
  if (typeof saidMs !== "number" || !Array.isArray(of)) return undefined;
  const read = of.flatMap((queueReport) => {
    if (!Array.isArray(queueReport)) return [];
    const [worker, running, waiting, sinceMs] = queueReport;
    const since = typeof sinceMs === "number" ? { sinceMs } : {};
    return [{ worker: String(worker), running: Number(running), waiting: Number(waiting), ...since }];
  });
  return { saidMs, queueReports: read };
}

function fieldOf(data: Json | undefined, key: string): Json | undefined {
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data[key] : undefined;
}
