/**
 * The backend of an app that has not used it yet (needs-backend.ts): objects that open it with the first call. A failed opening is
 * repeated with the next call, and the app is not ready until one succeeds.
 */
import { handleOf, type HandleArguments } from "../../graphs/engine/engine-starts.ts";
import type { Engine } from "../../graphs/engine/engine-types.ts";
import { oneByOne } from "../../graphs/engine/runs/subscription.ts";
import { readLimits } from "../../graphs/definition/value-limits.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { outsideOfRequest } from "../pipeline/current-request.ts";
import { processStatsOf } from "./process-stats.ts";
import { checkDatabase } from "./database-check.ts";
import { lazyObject } from "./lazy.ts";
import type { Rows, Backend } from "./backend-types.ts";

export interface LazyBackendOptions {
  open: () => Promise<Backend>;
  /** Called when it has been opened. */
  onOpen: () => void;
}

export class LazyBackend implements Backend {
  readonly store: Rows;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  /** Only for a process that has its database to itself: a cluster is never opened lazily. */
  readonly cluster = undefined;
  readonly #options: LazyBackendOptions;
  #opening: Promise<Backend> | undefined;
  #opened: Backend | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: LazyBackendOptions) {
    this.#options = options;
    this.store = this.#rows();
    this.engine = this.#engine();
    this.webhooks = this.#webhooks();
  }

  figures = (): ReturnType<Backend["figures"]> => this.#opened?.figures() ?? processStatsOf(undefined);

  /** Repeats a failed opening, or checks the open database; passes before the first use. @throws as opening, or as a write */
  check = async (): Promise<void> => {
    if (this.#hasFailed) await this.#open();
    else if (this.#opened) await checkDatabase(this.#opened.store);
  };

  #open = (): Promise<Backend> => {
    if (!this.#opening && this.#isClosed)
      return Promise.reject(new SvcError("SVC_UNAVAILABLE", "The app is closing and can't open its database"));
    return (this.#opening ??= this.#try());
  };

  async #try(): Promise<Backend> {
    try {
      this.#opened = await outsideOfRequest(this.#options.open);
      this.#hasFailed = false;
      this.#options.onOpen();
      return this.#opened;
    } catch (error) {
      this.#hasFailed = true;
      this.#opening = undefined;
      throw error;
    }
  }

  /** The backend to close, also if it is just being opened. Nothing is opened any more. */
  async #last(): Promise<Backend | undefined> {
    this.#isClosed = true;
    return this.#opening?.catch(() => undefined);
  }

  #part<Name extends keyof Rows>(name: Name): () => Promise<Rows[Name]> {
    return async () => (await this.#open()).store[name];
  }

  #rows(): Rows {
    return {
      graphs: lazyObject(this.#part("graphs"), {}),
      webhooks: { known: () => this.#opened?.store.webhooks.known() ?? new Map() },
      sessions: lazyObject(this.#part("sessions"), {}),
      answers: lazyObject(this.#part("answers"), {}),
      audit: lazyObject(this.#part("audit"), {}),
      activity: lazyObject(this.#part("activity"), {}),
      close: async () => (await this.#last())?.store.close(),
    };
  }

  #engine(): Engine {
    const engine = async (): Promise<Engine> => (await this.#open()).engine;
    const lazy: Engine = lazyObject(engine, {
      getHandle: (...given: HandleArguments) => handleOf(lazy, ...given),
      // An app with other limits opens the backend at the boot.
      limits: readLimits(),
      schedule: lazyObject(async () => (await engine()).schedule, {}),
      queues: lazyObject(async () => (await engine()).queues, {}),
      queueReports: () => this.#opened?.engine.queueReports() ?? [],
      subscribe: (...given) => {
        const batches = (): AsyncGenerator<readonly GraphEvent[]> => followed(engine, ...given);
        return { batches, [Symbol.asyncIterator]: () => oneByOne(batches()) };
      },
      idle: async () => this.#opened?.engine.idle(),
      close: async (drainMs) => (await this.#last())?.engine.close(drainMs),
    });
    return lazy;
  }

  #webhooks(): Webhooks {
    return lazyObject(async () => (await this.#open()).webhooks, {
      outboxRows: (event, isAgain) => this.#opened?.webhooks.outboxRows(event, isAgain) ?? [],
      activeCount: () => this.#opened?.webhooks.activeCount() ?? 0,
      // Opening it starts it.
      start: () => undefined,
      close: async (drainMs) => (await this.#last())?.webhooks.close(drainMs),
    });
  }
}

async function* followed(
  engine: () => Promise<Engine>,
  ...given: Parameters<Engine["subscribe"]>
): AsyncGenerator<readonly GraphEvent[]> {
  yield* (await engine()).subscribe(...given).batches();
}
