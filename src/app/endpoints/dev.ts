/** Development only: tells a page which build of the app it is talking to, so that it can load itself anew. */
import { eventStream, type StreamEvent } from "../../http/event-stream.ts";
import { PATHS } from "../../shared/wire.ts";
import { streamSignal, type Endpoints } from "../services.ts";

export function devEndpoints({ router, services }: Endpoints): void {
  router.add("GET", PATHS.devEvents, (ctx) => {
    const signal = streamSignal(ctx, services);
    return eventStream(builds(services.startedMs, signal), { clock: services.clock, signal });
  });
}

/** One event at once; then the stream stays open until the app closes for its successor. */
async function* builds(startedMs: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield { event: "build", data: startedMs };
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
