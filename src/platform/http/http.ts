/**
 * The HTTP core: one pipeline (checks, routing, middleware, errors, final headers) behind three adapters: `listen` (node:http), `fetch`
 * (web standard) and `handler` (mounted in another Node framework). All adapters give the same responses.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CidrSet } from "../security/cidr.ts";
import { SvcError } from "../shared/errors.ts";
import type { Trace } from "../shared/trace.ts";
import type { BodyBudget } from "./body/body-budget.ts";
import { compressed, isDocument } from "./response/compress.ts";
import { RequestContext, type Source } from "./request/context.ts";
import { endEarly, isPromise, WebChunks } from "./response/close-iterator.ts";
import type { CookieJar, SessionKeys } from "./sessions/cookie-jar.ts";
import { CLIENT_LEFT, isLeaving } from "./client-disconnect.ts";
import type { Observer } from "./observer.ts";
import { empty, problem } from "./response/response.ts";
import { settled } from "./response/buffer-ready-stream.ts";
import type { Router } from "./routing/router.ts";
import { isShareable, keptPrivate } from "./response/shared-caching.ts";
import { FetchSource } from "./request/fetch-source.ts";
import { hasBody, NodeSource, refuseAmbiguous } from "./request/node-source.ts";
import { asData, readTarget, type Target } from "./request/target.ts";
import type { Answer, Context, Result } from "./types.ts";
import {
  allHeaders,
  isBodyless,
  isStream,
  requireStatus,
  toResponse,
  toResult,
  writeNode,
} from "./response/write-response.ts";

export interface HttpOptions {
  router: Router;
  /** Signs cookies and keeps sessions; asked when a request first needs it. */
  sessionKeys?: () => SessionKeys;
  trusted: CidrSet;
  /** Answers an error; `error` may be anything. Must not throw. */
  onError: (error: unknown, ctx: Pick<Context, "requestId" | "header" | "path"> & { readonly trace?: Trace }) => Result;
  /** Adds what every answer has: security headers, policies. Called once, last. */
  finish: (ctx: RequestContext | undefined, result: Result) => Result;
  /** Whether to compress responses. Default: false. */
  compress?: boolean;
  /** Called with each response after compression; may return another one with the same headers. */
  outgoing?: ((result: Result) => Result) | undefined;
  /** Called when nothing matches; default a 404 problem. */
  notFound?: (ctx: Context) => Answer | Promise<Answer>;
  /** Observes every request of all adapters. For `fetch`, a streamed response ends when it begins. */
  observer?: Observer | undefined;
  /** Limits the memory that all request bodies take together. Default: nothing does. */
  bodyBudget?: BodyBudget | undefined;
  /** Share of the traces beginning here that are recorded, 0 to 1. Default 0: nothing records them. */
  traceRatio?: number;
  /** Paths whose 404 the app renders itself, so that the surrounding framework does not get them. Default: none. */
  isOurs?: (method: string, target: Target) => boolean;
}

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
  /** For Node frameworks. Handles every request; with `next`, passes on requests without a route. */
  handler(message: IncomingMessage, reply: ServerResponse, next?: () => void): Promise<void> | void;
  /** The answer, with every header, to what was refused before it became a request: broken, too slow, too large. */
  refuse(error: SvcError): Result;
}

/** Methods that no resource here has (RFC 9110 sections 9.3.6 and 9.3.8). */
const REFUSED_METHODS = new Set(["TRACE", "CONNECT"]);

export function createHttp(options: HttpOptions): Http {
  const core = new Core(options);
  return {
    async fetch(request, origin) {
      core.began();
      const source = new FetchSource(request, options.trusted, origin?.peerAddress);
      const isHead = request.method === "HEAD";
      const answered = await core.respond(source);
      try {
        return core.send(answered, (result) =>
          toResponse(result, allHeaders(answered.ctx, result), isHead, (error) => {
            if (error !== undefined) core.report(error, answered.ctx);
            source.leave();
          }),
        );
      } finally {
        core.ended(answered, false);
      }
    },
    handler(message, reply, next) {
      if (next && !core.isOurs(message)) return next();
      return new Exchange(core, message, reply).run();
    },
    refuse: (error) => {
      const result = options.onError(error, UNREADABLE);
      return options.finish(undefined, result);
    },
  };
}

/** An answer on its way to the wire. */
interface Answered {
  ctx: RequestContext;
  result: Result;
}

/** One request that arrived over node:http. */
class Exchange {
  readonly #core: Core;
  readonly #message: IncomingMessage;
  readonly #reply: ServerResponse;
  /** Whether the client disconnected before the response: Node then treats an unsent end as sent. */
  #hasLeft = false;

  constructor(core: Core, message: IncomingMessage, reply: ServerResponse) {
    this.#core = core;
    this.#message = message;
    this.#reply = reply;
    core.began();
  }

  run(): Promise<void> | void {
    const source = new NodeSource(this.#message, this.#reply, this.#core.trusted);
    const answered = this.#core.respond(source, () => refuseAmbiguous(this.#message));
    return isPromise(answered) ? answered.then((it) => this.#deliver(it)) : this.#deliver(answered);
  }

  #deliver(answered: Answered): Promise<void> | void {
    try {
      const sent = this.#core.send(answered, (result) => this.#write(answered, result));
      if (isPromise(sent)) return this.#endLater(answered, sent);
    } catch (error) {
      this.#cut(answered, error);
    }
    this.#ended(answered);
  }

  /** Ends when all is sent or the client has disconnected: the source of the body may never end by itself. */
  async #endLater(answered: Answered, sent: Promise<void>): Promise<void> {
    const reply = this.#reply;
    const hasClosed = new Promise<void>((resolve) => void (reply.destroyed ? resolve() : reply.once("close", resolve)));
    await Promise.race([sent.catch((error: unknown) => this.#cut(answered, error)), hasClosed]);
    this.#ended(answered);
  }

  #write({ ctx }: Answered, result: Result): Promise<void> | void {
    const [message, reply] = [this.#message, this.#reply];
    this.#hasLeft = reply.destroyed;
    if (reply.headersSent) throw new TypeError("The answer has been sent by other code already");
    // An unread body is not read for the sake of the connection: it may be what was refused.
    const isUnread = !message.complete && hasBody(message);
    // An unparseable request may contain a second one (request smuggling), so the connection closes.
    if (isUnread || ctx.path === NO_TARGET.path) reply.shouldKeepAlive = false;
    return writeNode(reply, ctx, result, message.method === "HEAD");
  }

  #cut({ ctx }: Answered, error: unknown): void {
    this.#core.report(error, ctx);
    // The status is already sent, so aborting the connection is the only way to signal an incomplete response.
    this.#reply.destroy();
  }

  #ended(answered: Answered): void {
    const { destroyed, writableFinished } = this.#reply;
    this.#core.ended(answered, this.#hasLeft || (destroyed && !writableFinished));
  }
}

class Core {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  get trusted(): CidrSet {
    return this.#options.trusted;
  }

  /**
   * Whether there is more to answer than a refusal. A known path with a wrong method may be a route of the framework
   * around, and what can't even be read may mean something to it.
   */
  isOurs(message: IncomingMessage): boolean {
    const { router, isOurs } = this.#options;
    const { method = "GET", url = "/" } = message;
    try {
      const target = readTarget(url);
      return router.match(method, target.routed).kind === "found" || isOurs?.(method, target) === true;
    } catch (error) {
      if (error instanceof SvcError) return false;
      throw error;
    }
  }

  /**
   * Synchronous if the handler is: a promise would cost more than most of this function.
   * @param requireSound throws for a request that must be rejected regardless of its path.
   */
  respond(source: Source, requireSound?: () => void): Answered | Promise<Answered> {
    let ctx: RequestContext | undefined;
    try {
      requireSound?.();
      ctx = new RequestContext(source, readTarget(source.target), this.#options.sessionKeys);
      ctx.traceRatio = this.#options.traceRatio ?? 0;
      ctx.bodyBudget = this.#options.bodyBudget;
      this.#options.observer?.answering(ctx);
      const answer = this.#route(ctx);
      return isPromise(answer) ? this.#answeredLater(ctx, answer) : this.#answered(ctx, answer);
    } catch (error) {
      return this.#failed(ctx ?? new RequestContext(source, NO_TARGET), error);
    }
  }

  /** With as few promises as it takes: once an action has run, each is followed by its context (decision 020). */
  #answeredLater(ctx: RequestContext, answer: Promise<Answer>): Promise<Answered> {
    const failed = (error: unknown): Answered | Promise<Answered> => this.#failed(ctx, error);
    return answer.then((given) => {
      try {
        const answered = this.#answered(ctx, given);
        return isPromise(answered) ? answered.catch(failed) : answered;
      } catch (error) {
        return failed(error);
      }
    }, failed);
  }

  #answered(ctx: RequestContext, answer: Answer): Answered | Promise<Answered> {
    requireStatus(answer.status);
    const result = toResult(answer);
    if (!(result.body instanceof WebChunks)) return this.#finished(ctx, result);
    return result.body.settled().then((body) => this.#finished(ctx, { ...result, body }));
  }

  #failed(ctx: RequestContext, error: unknown): Answered | Promise<Answered> {
    const hasLeft = isLeaving(error, ctx);
    return this.#finished(ctx, hasLeft ? empty(CLIENT_LEFT) : this.#options.onError(error, ctx));
  }

  #finished(ctx: RequestContext, result: Result): Answered | Promise<Answered> {
    const { jar } = ctx;
    if (jar?.hasOpened) return this.#keepSession(ctx, jar, result);
    return this.#complete(ctx, sharesCookies(jar, result) ? keptPrivate(result) : result);
  }

  /** Whatever the answer: a sign-in ends with a redirect, a refused one may be counted. */
  async #keepSession(ctx: RequestContext, jar: CookieJar, result: Result): Promise<Answered> {
    try {
      await jar.save();
    } catch (error) {
      endBody(result);
      return this.#complete(ctx, keptPrivate(this.#options.onError(error, ctx)));
    }
    return this.#complete(ctx, keptPrivate(result));
  }

  #complete(ctx: RequestContext, result: Result): Answered | Promise<Answered> {
    const finished = this.#options.finish(ctx, result);
    const { status, headers, body } = finished;
    if (!isStream(body) || ctx.method === "HEAD" || isBodyless(status) || !isDocument(headers))
      return this.#compressed(ctx, finished);
    return settled(body).then((whole) => this.#compressed(ctx, { status, headers, body: whole }));
  }

  #compressed(ctx: RequestContext, result: Result): Answered | Promise<Answered> {
    const sent = this.#options.compress ? compressed(ctx, result) : result;
    return isPromise(sent) ? sent.then((later) => this.#outgoing(ctx, later)) : this.#outgoing(ctx, sent);
  }

  #outgoing(ctx: RequestContext, result: Result): Answered {
    const { outgoing } = this.#options;
    return { ctx, result: outgoing ? outgoing(result) : result };
  }

  /** Sends an answer; one that can't be, such as with a line end in a header, is an error like any other of a handler. */
  send<Sent>(answered: Answered, write: (result: Result) => Sent): Sent {
    const { ctx, result } = answered;
    ctx.closeHead();
    ctx.isStreamed = isStream(result.body);
    try {
      return write(result);
    } catch (error) {
      endBody(result);
      const { finish, onError } = this.#options;
      const instead = this.#outgoing(ctx, finish(ctx, onError(error, ctx))).result;
      answered.result = instead;
      return write(instead);
    }
  }

  /** Reports an error that occurred after the response. */
  report(error: unknown, ctx: RequestContext): void {
    if (!isLeaving(error, ctx)) this.#options.onError(error, ctx);
  }

  began(): void {
    this.#options.observer?.began();
  }

  ended({ ctx, result }: Answered, isCut: boolean): void {
    ctx.releaseBody();
    this.#options.observer?.ended(ctx, result, performance.now() - ctx.startedMs, isCut);
  }

  #route(ctx: RequestContext): Answer | Promise<Answer> {
    if (REFUSED_METHODS.has(ctx.method)) throw methodRefused(ctx.method, "GET, HEAD, POST");
    const { router, notFound } = this.#options;
    const match = router.match(ctx.method, ctx.routed);
    if (match.kind === "wrong-method") throw methodRefused(ctx.method, match.allow);
    if (match.kind === "unknown") {
      return notFound ? notFound(ctx) : problem(404, "SVC_NOT_FOUND", `Nothing is at ${ctx.path}`);
    }
    ctx.route = match.route;
    ctx.params = ctx.routed === ctx.path ? match.params : asData(match.params);
    return match.route.handler(ctx);
  }
}

/** Placeholder when there is no parsed request. */
const UNREADABLE = { requestId: "", path: "", header: () => undefined };

/** Target of a request that was rejected before, or because of, its target. */
const NO_TARGET: Target = { path: "", routed: "", queryText: "" };

/** Releases the source of a body that will not be sent. */
function endBody({ body }: Result): void {
  if (isStream(body)) endEarly(body[Symbol.asyncIterator]());
}

/** A cookie belongs to one visitor: a shared cache would give it to all. */
function sharesCookies(jar: CookieJar | undefined, result: Result): boolean {
  return (jar?.isEmpty === false || result.headers.includes("set-cookie")) && isShareable(result);
}

function methodRefused(method: string, allow: string): SvcError {
  const text = `${method} is not allowed here; allowed: ${allow}`;
  return new SvcError("SVC_METHOD", text, { headers: { allow } });
}
