/** Observer of requests: the source of metrics, access logs and traces. */
import type { RequestContext } from "./request/context.ts";
import type { Result } from "./types.ts";

/** Plain arguments, since this is on the way of every request. */
export interface Observer {
  /** A request has come in; whatever becomes of it, `ended` is called once. */
  began(): void;
  /** The target is parsed; the request will get a response. */
  answering(ctx: RequestContext): void;
  /**
   * Its answer is sent, a streamed one to its end.
   * @param isCut the client left before the end
   */
  ended(ctx: RequestContext, result: Result, durationMs: number, isCut: boolean): void;
}
