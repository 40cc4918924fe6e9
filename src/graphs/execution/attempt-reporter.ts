/** Posts the logs, events and progress of a worker to its run while its attempt runs. */
import type { Json } from "../../platform/shared/json.ts";
import type { AttemptSink } from "./attempt/attempt-options.ts";
import type { StartedAttempt } from "./started-attempt.ts";

export class AttemptReporter implements AttemptSink {
  readonly #attempt: StartedAttempt;

  constructor(attempt: StartedAttempt) {
    this.#attempt = attempt;
  }

  event(type: "log" | "custom", data: Json): void {
    const { isRunning, run, node } = this.#attempt;
    if (isRunning && run.isActive) run.post({ type: "reported", event: type, node: node.id, data });
  }

  progress(value: number, note: string | undefined): void {
    const { isRunning, run } = this.#attempt;
    if (isRunning) run.progress.set(value, note);
  }

  summary(text: string): void {
    const { isRunning, run } = this.#attempt;
    if (isRunning) run.progress.summarize(text);
  }
}
