/** Open pages of the app under development. Each follows a stream of changes. */
import type { StreamEvent } from "../../platform/http/response/event-stream.ts";
import type { DevFault } from "../../platform/shared/dev-fault.ts";

/** `build`: pages of another build are out of date. `fault`: the source does not compile. `style`: a stylesheet changed. */
export type DevEvent =
  | { event: "build"; data: string }
  | { event: "fault"; data: DevFault }
  | { event: "style"; data: string };

export class DevPages {
  readonly #listeners = new Set<(event: DevEvent) => void>();
  /** Current state, sent first to a page that connects. */
  #state: DevEvent | undefined;
  /** Error of a stylesheet, until one changes. A page asks for its stylesheets before it connects. */
  #brokenStyle: DevEvent | undefined;

  send(event: DevEvent): void {
    if (event.event === "style") this.#brokenStyle = undefined;
    else if (event.event === "fault" && event.data.kind === "style") this.#brokenStyle = event;
    else this.#state = event;
    for (const listener of this.#listeners) listener(event);
  }

  async *follow(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const waiting = [this.#state, this.#brokenStyle].filter((event) => event !== undefined);
    let wake = (): void => undefined;
    const listener = (event: DevEvent): void => {
      waiting.push(event);
      wake();
    };
    const onAbort = (): void => wake();
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort);
    try {
      while (!signal.aborted) {
        yield* waiting.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (waiting.length > 0 || signal.aborted) resolve();
        });
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", onAbort);
    }
  }
}
