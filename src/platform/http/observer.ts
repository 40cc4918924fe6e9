/** Observer of requests: the source of metrics, access logs and traces. */
import type { RequestContext } from "./request/context.ts";
import type { Result } from "./types.ts";

/** Plain arguments instead of an object, because every request passes here. */
export interface Observer {
  /** A request has arrived. `ended` follows exactly once, regardless of the outcome. */
  began(): void;
  /** The target is parsed; the request will get a response. */
  answering(ctx: RequestContext): void;
  /**
   * The response has been sent, a streamed one to its end.
   * @param isCut the client disconnected before the end
   */
  ended(ctx: RequestContext, result: Result, durationMs: number, isCut: boolean): void;
}
