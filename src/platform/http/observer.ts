/** Who watches requests come and go: what is counted, logged and traced of them is made from this. */
import type { RequestContext } from "./request/context.ts";
import type { Result } from "./types.ts";

/** Plain arguments, since this is on the way of every request. */
export interface Observer {
  /** A request has come in; whatever becomes of it, `ended` is called once. */
  began(): void;
  /** Its target could be read, so it is going to be answered. */
  answering(ctx: RequestContext): void;
  /**
   * Its answer is sent, a streamed one to its end.
   * @param isCut the client left before the end
   */
  ended(ctx: RequestContext, result: Result, durationMs: number, isCut: boolean): void;
}
