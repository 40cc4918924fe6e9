/**
 * What work writes, noted down and not done: statements with their values, for the thread that writes (writer.ts). Meanwhile nothing can
 * be read, for what stands before it in the same transaction is not in the file.
 */
import type { Value } from "../../contract/row.ts";

/** A statement, by its number, and what it takes. */
export type Call = readonly [statement: number, values: readonly Value[]];

/** Work asks the file for something: it has to be done where that can be asked. */
export class NeedsFile extends Error {
  override readonly name = "NeedsFile";
}

/** Stands for the answer of a statement that is yet to run. */
export const LATER = {
  get changes(): number {
    throw new Error(
      "What a noted statement changes is not known yet; ask by Database.change. This is a bug in svc, please report it.",
    );
  },
};

type Changes = (changes: number) => void;

export class Recording {
  readonly calls: Call[] = [];
  /** Numbers of calls whose count of changed rows somebody wants, rising. */
  readonly asked: number[] = [];
  readonly #asking: Changes[] = [];

  add(statement: number, values: readonly Value[]): void {
    this.calls.push([statement, values]);
  }

  /** @param then told of the rows that the last call has changed. */
  ask(then: Changes): void {
    this.asked.push(this.calls.length - 1);
    this.#asking.push(then);
  }

  /** Takes back all calls but the first `length`. */
  cut(length: number): void {
    this.calls.length = length;
    const kept = this.asked.filter((at) => at < length).length;
    this.asked.length = kept;
    this.#asking.length = kept;
  }

  /** @param changes of the calls that were asked about. */
  tell(changes: readonly number[]): void {
    for (const [at, then] of this.#asking.entries()) then(changes[at] ?? 0);
  }
}
