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
  /**
   * Faults of single files by path: of chunks until the next build, of stylesheets until one changes. A page requests these files before
   * it connects.
   */
  readonly #broken = new Map<string, DevEvent & { event: "fault" }>();

  send(event: DevEvent): void {
    if (event.event === "style") this.#repaired("style");
    else if (event.event === "build") this.#repaired("compile");
    if (event.event === "fault" && event.data.request !== undefined) this.#broken.set(event.data.request, event);
    else if (event.event !== "style") this.#state = event;
    for (const listener of this.#listeners) listener(event);
  }

  #repaired(kind: DevFault["kind"]): void {
    for (const [request, { data }] of this.#broken) if (data.kind === kind) this.#broken.delete(request);
  }

  async *follow(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const waiting: DevEvent[] = [...(this.#state ? [this.#state] : []), ...this.#broken.values()];
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
