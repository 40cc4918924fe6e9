/**
 * Admits runs of graphs with a limit. The store decides which ones, in one transaction; this part asks it when a run has joined the queue of
 * its key or has ended, and continues the admitted runs. Requests for a key that arrive together share one transaction.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { Log } from "../../../platform/shared/log.ts";
import { FAIR_SLICE, type AdmissionRows, type LimitedKey } from "../../../storage/contract/admission.ts";
import type { GraphRow } from "../../../storage/contract/graph-rows.ts";
import { limitOf, type RunLimit } from "../../definition/flow-control.ts";
import type { OnLimit } from "../../definition/flow-control-types.ts";
import type { AdmittedRuns } from "./admitted-runs.ts";
import { Expiry } from "./expiry.ts";
import { overflow } from "./overflow.ts";
import type { EngineState } from "../engine-state.ts";
import type { Registry } from "../registry.ts";
import type { Busy } from "../runs/idle-tracker.ts";

export interface AdmissionOptions {
  rows: AdmissionRows;
  registry: Registry;
  clock: Clock;
  log: Log;
  /** Busy while runs are being admitted. */
  busy: Busy;
  state: EngineState;
  /** Whether several processes share the store: then each admitted run gets a job, by which one of them finds it. */
  isShared: boolean;
}

/** Keys to look at in one sweep of a graph. */
const KEYS = 1000;
/** More than any limit. */
const ANY = 2 ** 31 - 1;
/** Waiting runs to read at a time, if they may be cancelled. */
const WAITING = 1000;
const BUSY = "Cancelled because its key was in use when it was started";
const REPLACED = "Cancelled because a newer run with its key was started";
/** Time before a request is repeated after a fault of the store. */
const AGAIN_MS = 1000;

export class Admission {
  readonly #options: AdmissionOptions;
  #runs: AdmittedRuns | undefined;
  #expiry: Expiry | undefined;
  /** Keys that are being admitted. True: another request has arrived meanwhile. */
  readonly #active = new Map<string, boolean>();
  /** Keys whose last admission has failed: the store may have admitted runs that nobody has continued. */
  readonly #failed = new Set<string>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Called once, when the parts that execute runs exist. */
  attach(runs: AdmittedRuns): void {
    this.#runs = runs;
    this.#expiry = new Expiry({ ...this.#options, runs });
  }

  /** A run waits for its key from now on. */
  joined(row: Pick<GraphRow, "worker" | "concurrencyKey" | "expiresMs">): void {
    if (row.expiresMs !== undefined) this.#expiry?.wakeAt(row.expiresMs);
    this.request(row);
  }

  close(): void {
    this.#expiry?.close();
  }

  /** A key may be free. Does nothing for a run without a key. */
  request({ worker, concurrencyKey: key }: Pick<GraphRow, "worker" | "concurrencyKey">): void {
    const limit = this.#limitOf(worker);
    if (key === undefined || !limit || this.#options.state.isClosing) return;
    const id = JSON.stringify([worker, key]);
    if (this.#active.has(id)) return void this.#active.set(id, true);
    this.#active.set(id, false);
    void this.#run(id, { worker, key }, limit);
  }

  /** Admits runs that an earlier process has left, and cancels those that have expired. @throws faults of the store. */
  async lookAgain(): Promise<void> {
    const { registry, rows } = this.#options;
    await this.#expiry?.lookAgain();
    for (const worker of registry.names()) {
      const limit = this.#limitOf(worker);
      if (!limit) continue;
      // Where nothing waits for long, a waiting run is looked at also if its key is full.
      const full = (limit.onLimit ?? "queue") === "queue" ? limit.limit : ANY;
      for (const key of await rows.open(worker, full, KEYS)) this.request({ worker, concurrencyKey: key });
    }
  }

  #limitOf(worker: string): RunLimit | undefined {
    const definition = this.#options.registry.get(worker);
    return definition && limitOf(definition);
  }

  /** Never rejects. */
  async #run(id: string, of: LimitedKey, limit: RunLimit): Promise<void> {
    const { busy, log, clock } = this.#options;
    busy.begin();
    let isFault = false;
    try {
      if (this.#failed.has(id)) await this.#continueLost(of, limit);
      await this.#admit(of, limit);
      this.#failed.delete(id);
    } catch (err) {
      isFault = true;
      this.#failed.add(id);
      log.error({ worker: of.worker, err }, `Waiting runs of "${of.worker}" could not be started. It is tried again.`);
    }
    const isAsked = this.#active.get(id) === true;
    this.#active.delete(id);
    const again = (): void => this.request({ worker: of.worker, concurrencyKey: of.key });
    if (isFault) clock.schedule(AGAIN_MS, again);
    else if (isAsked) again();
    busy.end();
  }

  async #admit(of: LimitedKey, concurrency: RunLimit): Promise<void> {
    const { rows, clock, isShared } = this.#options;
    const { limit, onLimit = "queue", fairness } = concurrency;
    for (let isMore = true; isMore;) {
      const nowMs = clock.now();
      const ids = fairness
        ? await rows.admitFairly(of, limit, nowMs, isShared)
        : await rows.admit(of, limit, nowMs, isShared);
      // With several processes, the one that takes the job continues the run.
      if (!isShared) for (const id of ids) await this.#runs?.admitted(id, nowMs);
      isMore = fairness !== undefined && ids.length === FAIR_SLICE;
    }
    if (onLimit !== "queue") await this.#cancelBeyond(of, limit, onLimit);
  }

  /** With several processes, the job of an admitted run is written with its admission. */
  async #continueLost(of: LimitedKey, { limit }: RunLimit): Promise<void> {
    const { rows, isShared } = this.#options;
    if (!isShared) for (const id of await rows.admitted(of, limit)) await this.#runs?.maybeAdmitted(id);
  }

  async #cancelBeyond(of: LimitedKey, limit: number, onLimit: OnLimit): Promise<void> {
    const { rows } = this.#options;
    const waiting = await rows.waiting(of, WAITING);
    const active = waiting.length === 0 ? [] : await rows.admitted(of, limit);
    const message = onLimit === "cancel-newest" ? BUSY : REPLACED;
    for (const id of overflow(onLimit, { limit, active, waiting })) await this.#runs?.cancel(id, message);
  }
}
