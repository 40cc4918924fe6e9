/**
 * Slots: rows by which the database knows the writers of a process. They contain the outcome of a writer's last group (group-commit.ts),
 * and show that the process is alive: its claims are valid as long as they are updated.
 */
import { randomBytes } from "node:crypto";
import type { Database, Sql } from "../database.ts";

/** Interval of the sign of life. */
const BEAT_MS = 5000;

export interface WriterSlot {
  readonly id: string;
  /** Ticket of the last group; undefined if it must be queried. */
  ticket: number | undefined;
}

/** Moves counts of unused slots into one row for each worker and status. */
const FOLD_TOTALS = `
  WITH gone AS (
    DELETE FROM svc.graph_total AS t WHERE slot <> '' AND NOT EXISTS (SELECT 1 FROM svc.slot WHERE slot.id = t.slot)
    RETURNING worker, status, total
  )
  INSERT INTO svc.graph_total (worker, status, slot, total)
  SELECT worker, status, '', sum(total) FROM gone GROUP BY worker, status
  ON CONFLICT (worker, status, slot) DO UPDATE SET total = graph_total.total + excluded.total`;

const INSERT =
  "INSERT INTO svc.slot (id, ticket, outcomes, used_at) SELECT id, 0, '{}', clock_timestamp() FROM unnest($1::text[]) AS id ON CONFLICT DO NOTHING";

export class WriterSlots {
  readonly #database: Database;
  readonly all: readonly WriterSlot[];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, count: number) {
    this.#database = database;
    const process = randomBytes(9).toString("base64url");
    this.all = Array.from({ length: count }, (_, at) => ({ id: `${process}.${at}`, ticket: 0 }));
  }

  /** Id of the process's claims. */
  get owner(): string {
    return this.all[0]?.id ?? "";
  }

  /**
   * @param onBeat called at intervals.
   * @param require called in the transaction that creates them: none are created if it rejects.
   */
  async open(onBeat: () => Promise<unknown>, require: (sql: Sql) => Promise<void>): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await require(sql);
      await sql("DELETE FROM svc.slot WHERE used_at < clock_timestamp() - interval '1 day'");
      await sql(FOLD_TOTALS);
      await sql(INSERT, this.#ids());
    });
    this.#timer = setInterval(() => {
      // A failed sign of life is repeated next time; others may take the claims until then.
      Promise.all([this.#beat(), onBeat()]).catch(() => undefined);
    }, BEAT_MS);
    this.#timer.unref();
  }

  #ids(): string[] {
    return this.all.map(({ id }) => id);
  }

  async #beat(): Promise<void> {
    await this.#database.run(
      "UPDATE svc.slot SET used_at = clock_timestamp() WHERE id = ANY ($1::text[])",
      this.#ids(),
    );
  }

  /** Creates new slots after another process found this one gone. */
  async renew(): Promise<void> {
    await this.#database.run(INSERT, this.#ids());
    for (const slot of this.all) slot.ticket = undefined;
  }

  /** Releases the claims. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#database.transaction(async (sql) => {
      await sql("DELETE FROM svc.slot WHERE id = ANY ($1::text[])", this.#ids());
      await sql(FOLD_TOTALS);
    });
  }
}
