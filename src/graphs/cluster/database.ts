/** The cluster's view of PostgreSQL: statements, transactions and sessions. */

export interface Rows<Row> {
  rows: Row[];
}

/** One statement, on any connection or a given one. */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Rows<Row>>;

/** A connection of its own, for locks and notifications, which last as long as it does. */
export interface Session {
  query: Query;
  /** Called with each notification. */
  onNotice(listener: (channel: string, payload: string) => void): void;
  /** Ends it at once. */
  end(): void;
}

export interface ClusterDatabase {
  /** Quoted. */
  schema: string;
  query: Query;
  /** Runs statements in one transaction. */
  transaction<Result>(run: (query: Query) => Promise<Result>): Promise<Result>;
  /** @param onEnd called once, if the session ends by itself. */
  session(onEnd: (error: Error) => void): Promise<Session>;
}

export interface OpenedDatabase extends ClusterDatabase {
  /** A pool of `pg` for graphile-worker. Its type would force apps on SQLite to install `pg`. */
  pool: unknown;
  close(): Promise<void>;
}
