/** Event streams of the whole app, whoever makes them: counted while they are open, told when the server drains. */
import { isEventStream, untilDrain } from "../../platform/http/response/event-stream.ts";
import { watched } from "../../platform/http/response/close-iterator.ts";
import type { Result } from "../../platform/http/types.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";

/** The same answer, tended if it is an event stream. @param draining aborts when the app begins to close */
export function tracked(result: Result, metrics: Metrics, draining: AbortSignal): Result {
  const { body, headers } = result;
  const isStream = typeof body === "object" && body !== null && !(body instanceof Uint8Array);
  if (!isStream || !isEventStream(headers)) return result;
  metrics.eventStreams++;
  const onEnd = (): void => void metrics.eventStreams--;
  return { ...result, body: watched(untilDrain(body, draining), () => undefined, onEnd) };
}
