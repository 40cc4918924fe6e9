/** Counts the open event streams of the app, including those of handlers, limits them, and ends them when the server drains. */
import { setMaxListeners } from "node:events";
import type { RequestContext } from "../../platform/http/request/context.ts";
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import { isStream } from "../../platform/http/response/write-response.ts";
import { endBody, watched } from "../../platform/http/response/close-iterator.ts";
import { isEventStream, untilDrain } from "../../platform/http/response/event-stream.ts";
import { CLIENTS_PER_NETWORK, clientKey, networkKey } from "../../platform/security/rate-limits/rate-limit.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS } from "../../platform/shared/wire.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";
import { StreamCounts, type StreamKey } from "./stream-counts.ts";

/** Open streams of one client, and of one token. An office behind one address has one stream per tab; a stream takes about 20 KB. */
const MOST_STREAMS = 1000;
/** Some streams end in the meantime. */
const RETRY_S = "10";

/** @param draining aborts when the app begins to close @param most open streams of one client, and of one token */
export function limitEventStreams(metrics: Metrics, draining: AbortSignal, most = MOST_STREAMS): ResponseStep {
  const counts = new StreamCounts();
  // Each open stream listens.
  setMaxListeners(Infinity, draining);
  return (ctx, result) => {
    const { body, headers } = result;
    if (!isStream(body) || !isEventStream(headers)) return result;
    const release = counts.take(keysOf(ctx, most));
    if (!release) {
      endBody(body);
      const message = "Too many event streams of this client or token are open. Close some, or try again later";
      throw new SvcError("SVC_RATE_LIMIT", message, { headers: { "retry-after": RETRY_S } });
    }
    metrics.eventStreams++;
    const onEnd = (): void => {
      metrics.eventStreams--;
      release();
    };
    return { ...result, body: watched(untilDrain(body, draining), () => undefined, onEnd) };
  };
}

/** A token leads to the streams of a run, and sealed topics to those of a page: both can be copied to any number of clients. */
function keysOf(ctx: RequestContext, most: number): StreamKey[] {
  return ctx.unseen(() => {
    const network = networkKey(ctx.clientIp);
    const token = ctx.header(HEADERS.graphToken) ?? ctx.query.get("token") ?? ctx.query.get("on");
    return [
      { key: `client ${clientKey(ctx.clientIp)}`, most },
      ...(network === undefined ? [] : [{ key: `network ${network}`, most: most * CLIENTS_PER_NETWORK }]),
      ...(token === null ? [] : [{ key: `token ${token}`, most }]),
    ];
  });
}
