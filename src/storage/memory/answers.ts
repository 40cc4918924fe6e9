/** Answers kept for calls that are sent again, in memory. */
import type { AnswerRow, AnswerStore } from "../contract/session-store.ts";

/** Lets a commit take a turn, as a durable one does. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class MemoryAnswers implements AnswerStore {
  readonly #rows = new Map<string, AnswerRow>();

  async claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined> {
    await turn();
    const known = this.#rows.get(row.id);
    if (known && known.createdMs >= sinceMs) return { ...known };
    this.#rows.set(row.id, { ...row, answer: undefined });
    return undefined;
  }

  async find(id: string): Promise<AnswerRow | undefined> {
    const known = this.#rows.get(id);
    return known && { ...known };
  }

  async settle(id: string, status: number, body: string): Promise<void> {
    await turn();
    const row = this.#rows.get(id);
    if (row) row.answer = { status, body };
  }

  async purge(beforeMs: number): Promise<void> {
    await turn();
    for (const [id, { createdMs }] of this.#rows) if (createdMs < beforeMs) this.#rows.delete(id);
  }
}
