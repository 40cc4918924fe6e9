/**
 * The way of a request to its response, the same for every adapter: the handler decides the response, and an ordered list of steps
 * completes it. The list of an app is in src/app/pipeline/http-pipeline.ts.
 */
import type { SiteRules } from "../security/site-rules.ts";
import type { CidrSet } from "../security/ssrf/cidr.ts";
import type { Trace } from "../shared/trace.ts";
import type { BodyBudget } from "./body/body-budget.ts";
import { CLIENT_LEFT, isLeaving } from "./client-disconnect.ts";
import type { Observer } from "./observer.ts";
import { RequestContext, type Source } from "./request/context.ts";
import { NO_TARGET, readTarget, type Target } from "./request/target.ts";
import { endBody, isPromise, WebChunks } from "./response/close-iterator.ts";
import { empty } from "./response/response.ts";
import { isStream, requireStatus, toResult } from "./response/write-response.ts";
import type { SessionKeys } from "./sessions/cookie-jar.ts";
import type { Answer, Context, Result } from "./types.ts";

/** Turns an error, which may be any value, into a response. Must not throw. */
export type ErrorHandler = (
  error: unknown,
  ctx: Pick<Context, "requestId" | "header" | "path"> & { readonly trace?: Trace },
) => Result;

/** Completes a response: returns the same one or another. It may throw; then the error handler decides the response. */
export type ResponseStep = (ctx: RequestContext, result: Result) => Result | Promise<Result>;

export interface PipelineOptions {
  /** Proxies whose `X-Forwarded-*` headers are trusted. */
  trusted: CidrSet;
  /** Hosts for which requests are accepted; others get 421. Default: every host. */
  site?: SiteRules | undefined;
  /** Signs cookies and keeps sessions; called when a request first needs it. */
  sessionKeys?: () => SessionKeys;
  /** Limits the memory of all request bodies together. Default: no limit. */
  bodyBudget?: BodyBudget | undefined;
  /** Ratio of recorded traces among those that begin here, 0 to 1. Default: 0. */
  traceRatio?: number;
  /** Observes every request of all adapters. For `fetch`, a streamed response ends when it begins. */
  observer?: Observer | undefined;
  /** Decides the response: routes, middleware and handlers. */
  handle: (ctx: RequestContext) => Answer | Promise<Answer>;
  /** Whether a mounted app handles a request itself, instead of passing it to the framework around it. */
  claims: (method: string, target: Target) => boolean;
  onError: ErrorHandler;
  /** The steps that each response passes, in this order. */
  steps: readonly ResponseStep[];
  /** Adds the headers to a response without a request: its bytes could not be parsed. */
  completeUnparsed: (result: Result) => Result;
}

/** A response on its way to the client. */
export interface Exchanged {
  ctx: RequestContext;
  result: Result;
}

export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  get trusted(): CidrSet {
    return this.#options.trusted;
  }

  /** Counts a request that has arrived. `ended` must follow. */
  began(): void {
    this.#options.observer?.began();
  }

  /**
   * Synchronous if the handler and the steps are: a promise would cost more than most of this function.
   * @param requireSound throws for a request that must be rejected regardless of its path.
   */
  respond(source: Source, requireSound?: () => void): Exchanged | Promise<Exchanged> {
    const { site, sessionKeys, traceRatio = 0, bodyBudget, observer, handle } = this.#options;
    let ctx: RequestContext | undefined;
    try {
      requireSound?.();
      ctx = new RequestContext(source, readTarget(source.target), sessionKeys, site);
      ctx.traceRatio = traceRatio;
      ctx.bodyBudget = bodyBudget;
      observer?.answering(ctx);
      if (!ctx.isHostKnown && !site?.ignoresHostAt(ctx.path)) ctx.requireHost();
      const answer = handle(ctx);
      return isPromise(answer) ? this.#completeLater(ctx, answer) : this.#complete(ctx, answer);
    } catch (error) {
      return this.#failed(ctx ?? new RequestContext(source, NO_TARGET, undefined, site), error);
    }
  }

  /** Writes a response. If it cannot be sent, because of an invalid header for example, writes an error response instead. */
  send<Sent>(exchanged: Exchanged, write: (result: Result) => Sent): Sent | Promise<Sent> {
    const { ctx, result } = exchanged;
    ctx.closeHead();
    ctx.isStreamed = isStream(result.body);
    try {
      return write(result);
    } catch (error) {
      endBody(result.body);
      const instead = this.#failed(ctx, error);
      const send = (failed: Exchanged): Sent => write((exchanged.result = failed.result));
      return isPromise(instead) ? instead.then(send) : send(instead);
    }
  }

  /** Reports an error that occurred after the response. */
  report(error: unknown, ctx: RequestContext): void {
    if (!isLeaving(error, ctx)) this.#options.onError(error, ctx);
  }

  ended({ ctx, result }: Exchanged, isCut: boolean): void {
    ctx.releaseBody();
    this.#options.observer?.ended(ctx, result, performance.now() - ctx.startedMs, isCut);
  }

  /** Creates as few promises as possible: after the first action, each one carries an async context (decision 020). */
  #completeLater(ctx: RequestContext, answer: Promise<Answer>): Promise<Exchanged> {
    const failed = (error: unknown): Exchanged | Promise<Exchanged> => this.#failed(ctx, error);
    return answer.then((given) => {
      try {
        const completed = this.#complete(ctx, given);
        return isPromise(completed) ? completed.catch(failed) : completed;
      } catch (error) {
        return failed(error);
      }
    }, failed);
  }

  #complete(ctx: RequestContext, answer: Answer): Exchanged | Promise<Exchanged> {
    requireStatus(answer.status);
    const result = toResult(answer);
    if (!(result.body instanceof WebChunks)) return this.#runSteps(ctx, result);
    return result.body.settled().then((body) => this.#runSteps(ctx, { ...result, body }));
  }

  #failed(ctx: RequestContext, error: unknown): Exchanged | Promise<Exchanged> {
    const result = isLeaving(error, ctx) ? empty(CLIENT_LEFT) : this.#options.onError(error, ctx);
    return this.#runSteps(ctx, result);
  }

  #runSteps(ctx: RequestContext, given: Result, first = 0): Exchanged | Promise<Exchanged> {
    const { steps } = this.#options;
    let result = given;
    for (let at = first; at < steps.length; at++) {
      const completed = (steps[at] as ResponseStep)(ctx, result);
      if (isPromise(completed)) return completed.then((later) => this.#runSteps(ctx, later, at + 1));
      result = completed;
    }
    return { ctx, result };
  }
}
