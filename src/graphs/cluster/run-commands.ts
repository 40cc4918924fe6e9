/**
 * Commands for runs of other processes: a row for the process, with its answer in the same row. Announced by a notification, and polled
 * because one may be lost.
 */
import { randomBytes } from "node:crypto";
import { StaleLeaseError, type RunCommand } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError, type ErrorCode, type Issue } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { ClusterDatabase } from "./database.ts";
import type { Notices } from "./pg-notify.ts";
import { openObject, sealObject } from "./sealed-messages.ts";

/** Polling interval of a waiting caller. */
const LOOK_MS = 500;

export type Answer =
  | { kind: "done"; snapshot: Snapshot }
  | { kind: "refused"; code: ErrorCode; message: string; issues?: Issue[] }
  /** The process no longer holds the run. */
  | { kind: "moved" };

interface Body {
  graphId: string;
  /** A `RunCommand`, maybe encrypted, under the name that processes of earlier versions read. */
  wish: Json;
}

export interface CommandsOptions {
  database: ClusterDatabase;
  cipher: PayloadCipher;
  clock: Clock;
  notices: Pick<Notices, "notify">;
  /** Executes a command for this process. */
  execute: (graphId: string, command: RunCommand) => Promise<Answer>;
}

export class Commands {
  readonly #options: CommandsOptions;
  /** By command id. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /**
   * Sends a command to another process.
   * @param endMs deadline on the monotonic clock (`Clock.elapsed`).
   * @returns its answer; undefined if there is none in time, or the process is gone: it may have executed the command or not.
   */
  async ask(
    process: string,
    sender: string,
    graphId: string,
    command: RunCommand,
    endMs: number,
  ): Promise<Answer | undefined> {
    const { database, notices, clock, cipher } = this.#options;
    const { schema, query } = database;
    const id = `c_${randomBytes(9).toString("hex")}`;
    const body: Body = { graphId, wish: sealObject(cipher, command, commandPlace(id)) };
    await query(
      `insert into ${schema}.commands (id, process, sender, body) values ($1, $2, $3, $4) on conflict (id) do nothing`,
      [id, process, sender, JSON.stringify(body)],
    );
    notices.notify("asked", process);
    try {
      for (;;) {
        await this.#come(id);
        const { rows } = await query<{ answer: unknown; is_there: boolean }>(
          `select answer, exists (select from ${schema}.processes p where p.id = c.process) as is_there
           from ${schema}.commands c where id = $1`,
          [id],
        );
        const [row] = rows;
        if (row?.answer) return openObject(cipher, row.answer, answerPlace(id)) as Answer;
        if (!row?.is_there || clock.elapsed() >= endMs) return undefined;
      }
    } finally {
      this.#waiting.delete(id);
      await query(`delete from ${schema}.commands where id = $1`, [id]).catch(() => undefined);
    }
  }

  /** The command may be answered. */
  answered(id: string): void {
    this.#waiting.get(id)?.();
  }

  /** Executes commands for this process. */
  async look(processId: string): Promise<void> {
    const { schema, query } = this.#options.database;
    const { rows } = await query<{ id: string; body: Body }>(
      `select id, body from ${schema}.commands where process = $1 and answer is null order by created_at`,
      [processId],
    );
    await Promise.all(rows.map((row) => this.#run(row)));
  }

  /** Deletes commands of dead processes: nobody waits for them. */
  async sweep(): Promise<void> {
    const { schema, query } = this.#options.database;
    await query(
      `delete from ${schema}.commands c where not exists (select from ${schema}.processes p where p.id = c.sender)`,
    );
  }

  readonly #running = new Set<string>();

  async #run({ id, body }: { id: string; body: Body }): Promise<void> {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    const { database, notices, execute, cipher } = this.#options;
    try {
      const answer = await execute(body.graphId, openObject(cipher, body.wish, commandPlace(id)) as RunCommand);
      await database.query(`update ${database.schema}.commands set answer = $2 where id = $1`, [
        id,
        JSON.stringify(sealObject(cipher, answer, answerPlace(id))),
      ]);
      notices.notify("answered", id);
    } finally {
      this.#running.delete(id);
    }
  }

  #come(id: string): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.schedule(LOOK_MS, resolve);
      this.#waiting.set(id, () => {
        timer.cancel();
        resolve();
      });
    });
  }
}

const commandPlace = (id: string): string => `command/${id}`;
const answerPlace = (id: string): string => `command/${id}/answer`;

/** @throws the other process's SvcError */
export function snapshotFrom(answer: Exclude<Answer, { kind: "moved" }>): Snapshot {
  if (answer.kind === "done") return answer.snapshot;
  throw new SvcError(answer.code, answer.message, answer.issues ? { issues: answer.issues } : {});
}

/** A fault of this process is logged here and reported to the other one as a server error. */
export async function answerOf(work: Promise<Snapshot>, graphId: string, log: Log): Promise<Answer> {
  try {
    return { kind: "done", snapshot: await work };
  } catch (err) {
    if (err instanceof StaleLeaseError) return { kind: "moved" };
    if (err instanceof SvcError) {
      const { code, message, issues } = err;
      return { kind: "refused", code, message, ...(issues && { issues }) };
    }
    log.error({ graphId, err }, `A command of another process for the run ${graphId} failed`);
    const message = `The process that holds the run ${graphId} failed to execute the command. See its log.`;
    return { kind: "refused", code: "SVC_INTERNAL", message };
  }
}
