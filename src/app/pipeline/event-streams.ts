/** Counts the open event streams of the app, including those of handlers, and ends them when the server drains. */
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import { watched } from "../../platform/http/response/close-iterator.ts";
import { isEventStream, untilDrain } from "../../platform/http/response/event-stream.ts";
import { isStream } from "../../platform/http/response/write-response.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";

/** @param draining aborts when the app begins to close */
export function closeStreamsOnDrain(metrics: Metrics, draining: AbortSignal): ResponseStep {
  return (_ctx, result) => {
    const { body, headers } = result;
    if (!isStream(body) || !isEventStream(headers)) return result;
    metrics.eventStreams++;
    const onEnd = (): void => void metrics.eventStreams--;
    return { ...result, body: watched(untilDrain(body, draining), () => undefined, onEnd) };
  };
}
