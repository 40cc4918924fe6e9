/**
 * Work on its way to the thread that writes: done here as far as noting what it writes (statement-log.ts), acknowledged once the thread has
 * committed that and the disk has it. What the thread refuses, and what can't be noted, comes back, to be done with the file at hand,
 * where each error finds its owner.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Value } from "../../contract/row.ts";
import { NeedsFile, Recording } from "./statement-log.ts";
import type { PendingWork } from "./pending-work.ts";
import type { Outcome, Writer } from "./writer.ts";

export interface HandoverOptions {
  writer: Writer;
  /** What the thread has committed is to be made durable, and its owners told. */
  onWritten: (group: readonly PendingWork[], values: readonly unknown[]) => void;
  /** To be done next, with the file at hand. */
  onBack: (works: readonly PendingWork[]) => void;
  /** The file may have something else than work has counted on. */
  onStale: () => void;
  /** There is room for more, or nothing is under way any more. */
  onFree: () => void;
}

export class Handover {
  readonly #options: HandoverOptions;
  readonly #writer: Writer;
  /** What the work that is done right now writes. */
  #recording: Recording | undefined;
  /** Refused, and waiting until all behind it is refused too: that was made on top of it. */
  #refused: PendingWork[] = [];
  #hasHanded = false;

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.#writer = options.writer;
  }

  /** Whether it takes work now. */
  get isFree(): boolean {
    return this.#writer.isFree && this.#refused.length === 0;
  }

  /** Whether something of what work has counted on is not in the file yet. */
  get isBusy(): boolean {
    return this.#writer.isBusy;
  }

  /** What the work that is done right now writes goes in here; undefined where nothing is noted. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** Whether the thread may have written since this was last asked. */
  takeHasHanded(): boolean {
    const hasHanded = this.#hasHanded;
    this.#hasHanded = false;
    return hasHanded;
  }

  /** Inside of work. */
  note(text: string, values: readonly Value[]): void {
    this.#recording?.add(this.#writer.numberOf(text), values);
  }

  /** Takes as many as can be noted; the rest comes back. */
  hand(works: readonly PendingWork[]): void {
    const recording = new Recording();
    const values = this.#noteAll(works, recording);
    const group = works.slice(0, values.length);
    this.#options.onBack(works.slice(values.length));
    if (group.length === 0) return;
    this.#hasHanded = true;
    this.#writer.hand(recording, (outcome) => this.#settle(outcome, group, values));
  }

  idle(): Promise<void> {
    return this.#writer.idle();
  }

  /** Once nothing is under way. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  /** @returns values of the first works, as many as could be noted. Why the next could not, its owner is told where it is done again. */
  #noteAll(works: readonly PendingWork[], recording: Recording): unknown[] {
    const values: unknown[] = [];
    this.#recording = recording;
    for (const { work } of works) {
      const before = recording.calls.length;
      try {
        values.push(work());
      } catch (error) {
        const hasChanged = !(error instanceof NeedsFile) || recording.calls.length > before;
        if (hasChanged) this.#options.onStale();
        recording.cut(before);
        break;
      }
    }
    this.#recording = undefined;
    return values;
  }

  #settle(outcome: Outcome, group: readonly PendingWork[], values: readonly unknown[]): void {
    if (outcome === "written") this.#options.onWritten(group, values);
    else if (outcome === "refused") this.#refused.push(...group);
    else this.#lose(group);
    if (!this.isBusy) this.#giveBack();
    this.#options.onFree();
  }

  #giveBack(): void {
    if (this.#refused.length === 0) return;
    this.#options.onStale();
    this.#options.onBack(this.#refused.splice(0));
    this.#writer.goOn();
  }

  /** The thread has ended; what it had committed nobody can tell. */
  #lose(group: readonly PendingWork[]): void {
    this.#options.onStale();
    const error = new SvcError(
      "SVC_STORE",
      "The thread that writes the database ended; what it was at may be written or not. From here on the event loop writes",
      { cause: this.#writer.failure },
    );
    for (const { reject } of group) reject(error);
  }
}
