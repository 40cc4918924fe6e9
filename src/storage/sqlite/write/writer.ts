/**
 * The outside of the thread that writes (writer-thread.ts): groups are handed over as statements with their values, each is a
 * transaction there, and while one is written the next is made here. Handing over costs a fraction of the writing: texts are
 * copied, nothing is asked (decision 069).
 */
import type { Worker as Thread } from "node:worker_threads";
import { SvcError } from "../../../platform/shared/errors.ts";
import { threadExecArgv } from "../../../platform/shared/thread-exec-argv.ts";
import { ExitGate } from "../file/exit-gate.ts";
import type { Recording } from "./statement-log.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-messages.ts";

/** "written": committed, not yet synced. "refused": nothing of it was. "unknown": the thread died at it. */
export type Outcome = "written" | "refused" | "unknown";

interface Handed {
  recording: Recording;
  done: (outcome: Outcome) => void;
}

/** Groups under way at once: one that is written, one that waits for it, and no more, so that they grow under load. */
const MOST_GROUPS = 2;

export class Writer {
  readonly #thread: Thread;
  /** Of statements that the thread knows, or will with the next group. */
  readonly #numbers = new Map<string, number>();
  #newTexts: string[] = [];
  /** In the order of their handing over, which is that of their answers. */
  readonly #handed: Handed[] = [];
  #waiting: (() => void)[] = [];
  #isOver = false;
  #failure: unknown;

  private constructor(thread: Thread, gate: ExitGate) {
    this.#thread = thread;
    process.on("exit", gate.shut);
    thread.once("exit", () => process.off("exit", gate.shut));
    thread.on("message", (message: FromWriter) => this.#hear(message));
    thread.once("exit", () => this.#end());
    thread.on("error", (error) => (this.#failure = error));
    thread.unref();
  }

  /** @throws why the thread did not come up. */
  static async start(of: Omit<WriterData, "gate">): Promise<Writer> {
    // Loaded here: most processes never need one.
    const { Worker: Thread } = await import("node:worker_threads");
    const gate = new ExitGate();
    const data: WriterData = { ...of, gate: gate.shared };
    const thread = new Thread(new URL("./writer-thread.js", import.meta.url), {
      workerData: data,
      ...threadExecArgv(process.execArgv),
    });
    await new Promise<void>((resolve, reject) => {
      thread.once("message", () => resolve());
      thread.once("error", reject);
      thread.once("exit", (code) => reject(new Error(`it ended with code ${code}`)));
    });
    return new Writer(thread, gate);
  }

  /** Why its thread ended, where it did by a fault. */
  get failure(): unknown {
    return this.#failure;
  }

  get isBusy(): boolean {
    return this.#handed.length > 0;
  }

  /** Whether it takes another group now. */
  get isFree(): boolean {
    return !this.#isOver && this.#handed.length < MOST_GROUPS;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The number by which the thread knows a statement. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#newTexts.push(text);
    }
    return number;
  }

  /** @param done called once, in the order of handing over. */
  hand(recording: Recording, done: (outcome: Outcome) => void): void {
    const { calls, asked } = recording;
    // The process lives until it is told how it went.
    if (!this.isBusy) this.#thread.ref();
    this.#handed.push({ recording, done });
    this.#post({ texts: this.#newTexts, calls, asked });
    this.#newTexts = [];
  }

  /** After a refusal, once all groups behind it are refused too. */
  goOn(): void {
    if (!this.#isOver) this.#post("go on");
  }

  /** Once nothing is under way. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    const ended = new Promise<void>((resolve) => this.#thread.once("exit", () => resolve()));
    this.#thread.ref();
    this.#post("close");
    await ended;
  }

  #post(message: ToWriter): void {
    this.#thread.postMessage(message);
  }

  #hear(message: FromWriter): void {
    const first = this.#handed.shift();
    if (!this.isBusy) this.#thread.unref();
    if (!first || message === "up")
      throw new SvcError("SVC_STORE", "The thread that writes answers what was not asked");
    if (message !== "refused") first.recording.tell(message);
    first.done(message === "refused" ? "refused" : "written");
    if (!this.isBusy) this.#tellIdle();
  }

  #end(): void {
    this.#isOver = true;
    for (const { done } of this.#handed.splice(0)) done("unknown");
    this.#tellIdle();
  }

  #tellIdle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
