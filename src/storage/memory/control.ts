/** Schedules, paused queues and the audit trail in memory; they end with the process. */
import type { Page } from "../contract/queries.ts";
import type {
  AuditQuery,
  AuditRow,
  AuditRows,
  NewAudit,
  PausedQueueRow,
  QueueRows,
  ScheduleRow,
  ScheduleRows,
  ScheduleStep,
} from "../contract/control.ts";
import { pageLimit } from "../contract/page.ts";
import { stepped } from "../contract/schedule-step.ts";

export class MemoryAudit implements AuditRows {
  #rows: AuditRow[] = [];
  #lastId = 0;

  async add(row: NewAudit): Promise<void> {
    this.insert([row]);
  }

  insert(rows: readonly (NewAudit | undefined)[]): void {
    for (const row of rows) if (row) this.#rows.push(structuredClone({ ...row, id: ++this.#lastId }));
  }

  async list({ target, actor, operation, sinceMs, limit, cursor }: AuditQuery): Promise<Page<AuditRow>> {
    const matching = this.#rows
      .filter((row) => target === undefined || row.target === target)
      .filter((row) => actor === undefined || row.actor === actor)
      .filter((row) => operation === undefined || `${row.operation}.`.startsWith(`${operation}.`))
      .filter((row) => sinceMs === undefined || row.atMs >= sinceMs)
      .toReversed();
    const before = cursor === undefined ? Infinity : Number(cursor);
    const rest = matching.filter(({ id }) => id < before);
    const size = pageLimit(limit);
    const items = structuredClone(rest.slice(0, size));
    return { items, total: matching.length, nextCursor: rest.length > size ? String(items.at(-1)?.id) : undefined };
  }

  async purge(beforeMs: number): Promise<void> {
    this.#rows = this.#rows.filter(({ atMs }) => atMs >= beforeMs);
  }
}

export class MemorySchedules implements ScheduleRows {
  readonly #rows = new Map<string, ScheduleRow>();
  readonly #audit: MemoryAudit;

  constructor(audit: MemoryAudit) {
    this.#audit = audit;
  }

  async change(
    name: string,
    make: (old: ScheduleRow | undefined) => ScheduleRow,
    audit?: NewAudit,
  ): Promise<ScheduleRow> {
    const row = make(structuredClone(this.#rows.get(name)));
    this.#rows.set(name, structuredClone(row));
    this.#audit.insert([audit]);
    return row;
  }

  async remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean> {
    if (this.#rows.get(name)?.source !== source) return false;
    this.#rows.delete(name);
    this.#audit.insert([audit]);
    return true;
  }

  async schedule(name: string): Promise<ScheduleRow | undefined> {
    return structuredClone(this.#rows.get(name));
  }

  async schedules(): Promise<ScheduleRow[]> {
    return structuredClone([...this.#rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  async moveOn(name: string, fromMs: number | undefined, step: ScheduleStep): Promise<boolean> {
    const row = this.#rows.get(name);
    if (!row) return false;
    const next = stepped(row, fromMs, step);
    this.#rows.set(name, next.row);
    return next.hasMoved;
  }
}

export class MemoryQueues implements QueueRows {
  readonly #rows = new Map<string, PausedQueueRow>();
  readonly #audit: MemoryAudit;

  constructor(audit: MemoryAudit) {
    this.#audit = audit;
  }

  async pause(row: PausedQueueRow, audit?: NewAudit): Promise<void> {
    if (!this.#rows.has(row.worker)) this.#rows.set(row.worker, { ...row });
    this.#audit.insert([audit]);
  }

  async resume(worker: string, audit?: NewAudit): Promise<void> {
    this.#rows.delete(worker);
    this.#audit.insert([audit]);
  }

  async paused(): Promise<PausedQueueRow[]> {
    return structuredClone([...this.#rows.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1)));
  }
}
