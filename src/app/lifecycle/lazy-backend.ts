/**
 * Database, graphs and webhooks of an app that nothing has asked for any yet (needs-backend.ts): faces that open them all with the first
 * call. What it can't open it tries again with the next, and until one succeeds the app is not ready.
 */
import type { Engine } from "../../graphs/engine/engine-types.ts";
import { readLimits } from "../../graphs/definition/value-limits.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { outsideOfRequest } from "../pipeline/current-request.ts";
import { processStatsOf } from "./process-stats.ts";
import { late } from "./lazy.ts";
import type { Rows, Work } from "./backend-types.ts";

export interface LateWorkOptions {
  open: () => Promise<Work>;
  /** Told when something has asked, and it is there. */
  onOpen: () => void;
}

export class LateWork implements Work {
  readonly store: Rows;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  /** Of a process that has its database to itself: of those that share one it is never opened late. */
  readonly cluster = undefined;
  readonly #options: LateWorkOptions;
  #opening: Promise<Work> | undefined;
  #opened: Work | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: LateWorkOptions) {
    this.#options = options;
    this.store = this.#rows();
    this.engine = this.#engine();
    this.webhooks = this.#webhooks();
  }

  figures = (): ReturnType<Work["figures"]> => this.#opened?.figures() ?? processStatsOf(undefined);

  /** Tries again what has failed; passes where nothing has. @throws as opening does */
  check = async (): Promise<void> => {
    if (this.#hasFailed) await this.#open();
  };

  #open = (): Promise<Work> => {
    if (!this.#opening && this.#isClosed)
      return Promise.reject(new SvcError("SVC_UNAVAILABLE", "The app is closing, and opens its database no more"));
    return (this.#opening ??= this.#try());
  };

  async #try(): Promise<Work> {
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

  /** What has to be closed, that which is just being opened included; nothing is opened any more. */
  async #last(): Promise<Work | undefined> {
    this.#isClosed = true;
    return this.#opening?.catch(() => undefined);
  }

  #part<Name extends keyof Rows>(name: Name): () => Promise<Rows[Name]> {
    return async () => (await this.#open()).store[name];
  }

  #rows(): Rows {
    return {
      graphs: late(this.#part("graphs"), {}),
      webhooks: { known: () => this.#opened?.store.webhooks.known() ?? new Map() },
      sessions: late(this.#part("sessions"), {}),
      answers: late(this.#part("answers"), {}),
      audit: late(this.#part("audit"), {}),
      activity: late(this.#part("activity"), {}),
      close: async () => (await this.#last())?.store.close(),
    };
  }

  #engine(): Engine {
    const engine = async (): Promise<Engine> => (await this.#open()).engine;
    return late(engine, {
      // Whoever says other ones has graphs from the boot on.
      limits: readLimits(),
      schedule: late(async () => (await engine()).schedule, {}),
      queues: late(async () => (await engine()).queues, {}),
      lanes: () => this.#opened?.engine.lanes() ?? [],
      subscribe: (graphId, afterSeq, signal) => followed(engine, graphId, afterSeq, signal),
      idle: async () => this.#opened?.engine.idle(),
      close: async (drainMs) => (await this.#last())?.engine.close(drainMs),
    });
  }

  #webhooks(): Webhooks {
    return late(async () => (await this.#open()).webhooks, {
      outboxRows: (event, isAgain) => this.#opened?.webhooks.outboxRows(event, isAgain) ?? [],
      underWay: () => this.#opened?.webhooks.underWay() ?? 0,
      // Who opens it starts it.
      start: () => undefined,
      close: async (drainMs) => (await this.#last())?.webhooks.close(drainMs),
    });
  }
}

async function* followed(
  engine: () => Promise<Engine>,
  ...[graphId, afterSeq, signal]: Parameters<Engine["subscribe"]>
): AsyncGenerator<GraphEvent> {
  yield* (await engine()).subscribe(graphId, afterSeq, signal);
}
