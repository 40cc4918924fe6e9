/**
 * The HTTP core: one pipeline (pipeline.ts) behind three adapters: `listen` (node:http, server.ts), `fetch` (web standard) and `handler`
 * (mounted in another Node framework). All adapters give the same responses.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SvcError } from "../shared/errors.ts";
import { NodeExchange } from "./node-adapter.ts";
import { Pipeline, type PipelineOptions } from "./pipeline.ts";
import { FetchSource } from "./request/fetch-source.ts";
import { readTarget } from "./request/target.ts";
import { allHeaders, toResponse } from "./response/write-response.ts";
import type { Result } from "./types.ts";

/** Facts about the connection that a web `Request` lacks. */
export interface RequestOrigin {
  /**
   * Address of the peer: `"203.0.113.9"`. The rate limit counts by it, and `X-Forwarded-*` is trusted only from peers that
   * `SVC_TRUST_PROXY` names. Default: 127.0.0.1, and no forwarded header is trusted.
   */
  peerAddress?: string;
}

export interface Http {
  fetch(request: Request, origin?: RequestOrigin): Promise<Response>;
  /** For Node frameworks. Handles every request; with `next`, passes on requests that the pipeline does not claim. */
  handler(message: IncomingMessage, reply: ServerResponse, next?: () => void): Promise<void> | void;
  /** The response to bytes that are not a request: malformed, too slow, or too large. */
  refuse(error: SvcError): Result;
}

export function createHttp(options: PipelineOptions): Http {
  const pipeline = new Pipeline(options);
  return {
    fetch: (request, origin) => respondToFetch(pipeline, request, origin),
    handler(message, reply, next) {
      if (next && !isClaimed(options, message)) return next();
      return new NodeExchange(pipeline, message, reply).run();
    },
    refuse: (error) => options.completeUnparsed(options.onError(error, UNPARSED)),
  };
}

/** Request properties for the error handler when there is no parsed request. */
const UNPARSED = { requestId: "", path: "", header: () => undefined };

async function respondToFetch(pipeline: Pipeline, request: Request, origin?: RequestOrigin): Promise<Response> {
  pipeline.began();
  const source = new FetchSource(request, pipeline.trusted, origin?.peerAddress);
  const isHead = request.method === "HEAD";
  const exchanged = await pipeline.respond(source);
  const { ctx } = exchanged;
  const write = (result: Result): Response =>
    toResponse(result, allHeaders(ctx, result), isHead, (error) => {
      if (error !== undefined) pipeline.report(error, ctx);
      source.leave();
    });
  try {
    return await pipeline.send(exchanged, write);
  } finally {
    pipeline.ended(exchanged, false);
  }
}

/**
 * Whether the pipeline has more than an error for a request. A known path with another method may be a route of the framework around it,
 * which may also understand a target that this one rejects.
 */
function isClaimed({ claims }: PipelineOptions, { method = "GET", url = "/" }: IncomingMessage): boolean {
  try {
    return claims(method, readTarget(url));
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
