/**
 * Connections to receivers, kept alive between attempts: so many in all and no more, those idle longest making room. What is idle
 * beyond its time is closed.
 */
import type { Timer } from "../../platform/shared/clock.ts";
import { BadAnswer } from "./response-reader.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

export interface ConnectionsOptions extends ConnectionOptions {
  /** Open at once, idle ones included. */
  total: number;
}

/** How often it is looked for those whose time is over; none is taken after its time. */
const SWEEP_MS = 1000;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  /** In the order they became idle. */
  readonly #idle = new Set<Connection>();
  readonly #idleByKey = new Map<string, Connection[]>();
  #sweeper: Timer | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** @param isExempt whether the address rules are off; such a connection is never handed to a guarded request */
  take(origin: string, isExempt: boolean): Connection {
    const key = isExempt ? `exempt ${origin}` : origin;
    for (const alike = this.#idleByKey.get(key) ?? []; alike.length > 0;) {
      const idle = alike.pop();
      if (alike.length === 0) this.#idleByKey.delete(key);
      if (!idle) break;
      this.#idle.delete(idle);
      if (idle.idleUntilMs > this.#options.clock.elapsed()) return idle;
      this.drop(idle);
    }
    if (this.#open.size >= this.#options.total) this.#makeRoom();
    const made = new Connection(key, origin, isExempt, this.#options, (lost) => this.#leave(lost));
    this.#open.add(made);
    return made;
  }

  /** The request on it is over, and another may follow within this time. */
  give(connection: Connection, idleMs: number): void {
    if (!this.#open.has(connection)) return;
    connection.idleUntilMs = this.#options.clock.elapsed() + idleMs;
    this.#idle.add(connection);
    const alike = this.#idleByKey.get(connection.key);
    if (alike) alike.push(connection);
    else this.#idleByKey.set(connection.key, [connection]);
    this.#sweeper ??= this.#options.clock.schedule(SWEEP_MS, () => this.#sweep());
  }

  /** Ends a connection, and the request on it. */
  drop(connection: Connection): void {
    this.#open.delete(connection);
    connection.drop();
  }

  /** Ends all, and what is under way. */
  destroy(): void {
    this.#sweeper?.cancel();
    this.#sweeper = undefined;
    const open = [...this.#open];
    this.#open.clear();
    this.#idle.clear();
    this.#idleByKey.clear();
    for (const connection of open) connection.cut(new BadAnswer("it is closed"));
  }

  #sweep(): void {
    this.#sweeper = undefined;
    const nowMs = this.#options.clock.elapsed();
    for (const connection of this.#idle) if (connection.idleUntilMs <= nowMs) this.#leave(connection);
    if (this.#idle.size > 0) this.#sweeper = this.#options.clock.schedule(SWEEP_MS, () => this.#sweep());
  }

  #makeRoom(): void {
    const [oldest] = this.#idle;
    if (oldest) this.#leave(oldest);
  }

  /** Ends an idle one. */
  #leave(connection: Connection): void {
    this.#idle.delete(connection);
    const alike = (this.#idleByKey.get(connection.key) ?? []).filter((other) => other !== connection);
    if (alike.length > 0) this.#idleByKey.set(connection.key, alike);
    else this.#idleByKey.delete(connection.key);
    this.drop(connection);
  }
}
