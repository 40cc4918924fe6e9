/**
 * Keeps connections to receivers open between attempts. Limits how many are open in all, idle ones included: the connection that
 * has been idle longest is closed to make room. undici closes idle connections after 4 s, or 2 s before the time that the receiver announces.
 */
import { Connection, type ConnectionOptions, type ReceiverRequest } from "./connection.ts";

export interface ConnectionPoolOptions extends ConnectionOptions {
  /** Maximum number of open connections, idle ones included. */
  total: number;
}

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #open = new Set<Connection>();
  /** In the order in which they became idle. */
  readonly #idle = new Set<Connection>();
  readonly #idleByKey = new Map<string, Connection[]>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Returns an idle connection to the request's origin, or a new one. */
  acquire(request: ReceiverRequest): Connection {
    const key = request.isExempt ? `exempt ${request.origin}` : request.origin;
    for (let idle = this.#lastIdle(key); idle; idle = this.#lastIdle(key)) {
      this.#removeIdle(idle);
      if (idle.isReusable) return idle;
      this.discard(idle);
    }
    if (this.#open.size >= this.#options.total) this.#evictOldest();
    const connection = new Connection(key, request, this.#options);
    this.#open.add(connection);
    return connection;
  }

  /** Takes back a connection whose request is over. */
  release(connection: Connection): void {
    if (!this.#open.has(connection)) return;
    this.#idle.add(connection);
    const sameKey = this.#idleByKey.get(connection.key);
    if (sameKey) sameKey.push(connection);
    else this.#idleByKey.set(connection.key, [connection]);
  }

  /** Closes a connection and aborts the request on it. */
  discard(connection: Connection): void {
    this.#open.delete(connection);
    void connection.destroy();
  }

  /** Closes all connections and aborts their requests. */
  async destroy(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    this.#idle.clear();
    this.#idleByKey.clear();
    await Promise.all(open.map((connection) => connection.destroy()));
  }

  #lastIdle(key: string): Connection | undefined {
    return this.#idleByKey.get(key)?.at(-1);
  }

  #evictOldest(): void {
    const [oldest] = this.#idle;
    if (!oldest) return;
    this.#removeIdle(oldest);
    this.discard(oldest);
  }

  #removeIdle(connection: Connection): void {
    this.#idle.delete(connection);
    const others = (this.#idleByKey.get(connection.key) ?? []).filter((other) => other !== connection);
    if (others.length > 0) this.#idleByKey.set(connection.key, others);
    else this.#idleByKey.delete(connection.key);
  }
}
