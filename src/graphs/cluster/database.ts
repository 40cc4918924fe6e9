/** What the processes of a cluster need of PostgreSQL: statements, transactions, and sessions that stay. */

export interface Rows<Row> {
  rows: Row[];
}

/** One statement, on any connection or on one. */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Rows<Row>>;

/** A connection of one's own, for what lasts as long as it does: locks, notifications. */
export interface Session {
  query: Query;
  /** Called with each notification. */
  onNotice(listener: (channel: string, payload: string) => void): void;
  /** Ends it without a word. */
  end(): void;
}

export interface ClusterDatabase {
  /** Quoted. */
  schema: string;
  query: Query;
  /** Runs statements in a transaction of their own. */
  transaction<Result>(run: (query: Query) => Promise<Result>): Promise<Result>;
  /** @param onEnd called once, when it has ended by itself. */
  session(onEnd: (error: Error) => void): Promise<Session>;
}

export interface OpenedDatabase extends ClusterDatabase {
  /** A pool of `pg`, for graphile-worker, which wants one. Its type would have apps on SQLite install `pg` to be compiled. */
  pool: unknown;
  close(): Promise<void>;
}
