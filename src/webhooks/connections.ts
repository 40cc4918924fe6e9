/**
 * Connections to receivers, kept alive between attempts: one request at a time on each, so many in all and no more, those
 * idle longest making room. Each tells how long it took to come about.
 */
import { Client } from "undici";
import { exemptConnector, guardedConnector, type GuardedAgentOptions } from "../security/guarded-agent.ts";
import type { Clock } from "../shared/clock.ts";
import type { AttemptTimings } from "../store/webhook-rows.ts";

export interface ConnectionsOptions extends GuardedAgentOptions {
  clock: Clock;
  /** Open at once, idle ones included. */
  total: number;
}

/** A place for one request at a time. */
export class Connection {
  readonly key: string;
  readonly client: Client;
  readonly #clock: Clock;
  #timings: AttemptTimings = {};
  #phaseMs = 0;

  constructor(key: string, origin: string, isExempt: boolean, options: ConnectionsOptions) {
    this.key = key;
    this.#clock = options.clock;
    const onPhase = (phase: "dns" | "connect" | "tls"): void => {
      const nowMs = this.#clock.elapsed();
      this.#timings[phase] = Math.round(nowMs - this.#phaseMs);
      this.#phaseMs = nowMs;
    };
    const connect = isExempt ? exemptConnector(options) : guardedConnector({ ...options, onPhase });
    // No timeouts of its own: each byte that comes would start them anew. The attempt has one deadline.
    this.client = new Client(origin, { connect, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** An attempt begins. */
  begin(): this {
    this.#timings = {};
    this.#phaseMs = this.#clock.elapsed();
    return this;
  }

  /** Of the attempt that is under way; empty where the connection was there already. */
  get timings(): AttemptTimings {
    return this.#timings;
  }
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  /** In the order they became idle. */
  readonly #idle = new Set<Connection>();
  readonly #idleByKey = new Map<string, Connection[]>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Open ones, idle or not. */
  get size(): number {
    return this.#open.size;
  }

  /** @param isExempt whether the address rules are off; such a connection is never handed to a guarded request */
  take(origin: string, isExempt: boolean): Connection {
    const key = isExempt ? `exempt ${origin}` : origin;
    const idle = this.#idleByKey.get(key)?.pop();
    if (idle) {
      this.#idle.delete(idle);
      return idle.begin();
    }
    if (this.#open.size >= this.#options.total) this.#makeRoom();
    const made = new Connection(key, origin, isExempt, this.#options);
    this.#open.add(made);
    return made.begin();
  }

  /** The request on it is over, and another may follow. */
  give(connection: Connection): void {
    if (!this.#open.has(connection)) return;
    this.#idle.add(connection);
    const alike = this.#idleByKey.get(connection.key);
    if (alike) alike.push(connection);
    else this.#idleByKey.set(connection.key, [connection]);
  }

  /** Ends a connection, and the request on it. */
  drop(connection: Connection): void {
    this.#open.delete(connection);
    connection.client.destroy().catch(() => undefined); // Gone either way.
  }

  async destroy(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map(({ client }) => client.destroy()));
  }

  #makeRoom(): void {
    const [oldest] = this.#idle;
    if (!oldest) return;
    this.#idle.delete(oldest);
    const alike = (this.#idleByKey.get(oldest.key) ?? []).filter((other) => other !== oldest);
    if (alike.length > 0) this.#idleByKey.set(oldest.key, alike);
    else this.#idleByKey.delete(oldest.key);
    this.drop(oldest);
  }
}
