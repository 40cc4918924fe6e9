/**
 * The HTTP core: one way through it (door checks, routing, middleware, errors, finishing touches), three doors into it:
 * `listen` (node:http), `fetch` (web standard) and `handler` (mounted in another node framework). Every door gives the
 * same answers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CidrSet } from "../security/cidr.ts";
import { SvcError } from "../shared/errors.ts";
import { HEADERS } from "../shared/wire.ts";
import { RequestContext, type Source } from "./context.ts";
import { problem } from "./response.ts";
import type { Router } from "./router.ts";
import { FetchSource } from "./source-fetch.ts";
import { NodeSource, refuseAmbiguous } from "./source-node.ts";
import type { Answer, Context, Middleware, Result } from "./types.ts";
import { headersOf, toResponse, toResult, writeNode } from "./write.ts";

export interface HttpOptions {
  router: Router;
  /** Around every routed request, outermost first. */
  middleware: readonly Middleware[];
  trusted: CidrSet;
  /** Answers an error; `error` may be anything. Must not throw. */
  onError: (error: unknown, ctx: Pick<Context, "requestId" | "header" | "path">) => Result;
  /** Adds what every answer has: security headers, policies. Called once, last. */
  finish: (ctx: RequestContext | undefined, result: Result) => Result;
  /** Called when nothing matches; default a 404 problem. */
  notFound?: (ctx: Context) => Answer | Promise<Answer>;
}

export interface Http {
  fetch(request: Request): Promise<Response>;
  /** For node frameworks. Answers everything; with `next` given, passes on what it has no route for. */
  handler(message: IncomingMessage, reply: ServerResponse, next?: () => void): Promise<void>;
}

/** Methods that no resource here has (RFC 9110 sections 9.3.6 and 9.3.8). */
const REFUSED_METHODS = new Set(["TRACE", "CONNECT"]);

/** More header lines than this are refused; Node would silently drop those over its own limit. */
const MAX_HEADER_LINES = 100;

export function createHttp(options: HttpOptions): Http {
  const core = new Core(options);
  return {
    async fetch(request) {
      const { ctx, result } = await core.respond(() => new FetchSource(request));
      return toResponse(result, finalHeaders(ctx, result), request.method === "HEAD");
    },
    async handler(message, reply, next) {
      if (next && !core.hasRoute(message)) return next();
      const { ctx, result } = await core.respond(() => {
        refuseAmbiguous(message);
        if (message.rawHeaders.length > 2 * MAX_HEADER_LINES) {
          throw new SvcError("SVC_HEADERS_TOO_LARGE", `More than ${MAX_HEADER_LINES} headers`);
        }
        return new NodeSource(message, reply, options.trusted);
      });
      const headers = finalHeaders(ctx, result);
      // An unread body is not read for the sake of the connection: it may be what was refused.
      if (!message.complete && hasBody(message)) headers.push("connection", "close");
      await writeNode(reply, result, headers, message.method === "HEAD");
    },
  };
}

function finalHeaders(ctx: RequestContext | undefined, result: Result): string[] {
  return ctx ? headersOf(ctx, result, HEADERS.requestId) : result.headers.slice();
}

function hasBody(message: IncomingMessage): boolean {
  return message.headers["content-length"] !== undefined || message.headers["transfer-encoding"] !== undefined;
}

class Core {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  hasRoute(message: IncomingMessage): boolean {
    const path = (message.url ?? "/").split("?", 1)[0] as string;
    return this.#options.router.match(message.method ?? "GET", path).kind !== "unknown";
  }

  async respond(open: () => Source): Promise<{ ctx: RequestContext | undefined; result: Result }> {
    const { finish, onError } = this.#options;
    let ctx: RequestContext | undefined;
    let result: Result;
    try {
      ctx = new RequestContext(open());
      result = toResult(await this.#route(ctx));
    } catch (error) {
      result = onError(error, ctx ?? UNREADABLE);
    }
    return { ctx, result: finish(ctx, result) };
  }

  #route(ctx: RequestContext): Answer | Promise<Answer> {
    if (REFUSED_METHODS.has(ctx.method)) return methodRefused(ctx.method, "GET, HEAD, POST");
    const { router, middleware, notFound } = this.#options;
    const match = router.match(ctx.method, ctx.path);
    if (match.kind === "wrong-method") return methodRefused(ctx.method, match.allow);
    if (match.kind === "unknown") {
      const missing = notFound ?? ((missed) => problem(404, "SVC_NOT_FOUND", `Nothing is at ${missed.path}`));
      return middleware.length > 0 ? compose(middleware, missing)(ctx) : missing(ctx);
    }
    ctx.params = match.params;
    const { handler, middleware: own } = match.route;
    return middleware.length + own.length > 0 ? compose([...middleware, ...own], handler)(ctx) : handler(ctx);
  }
}

/** Stands in where the request could not even be read. */
const UNREADABLE = { requestId: "", path: "", header: () => undefined };

function methodRefused(method: string, allow: string): Result {
  return problem(405, "SVC_METHOD", `${method} is not allowed here; allowed: ${allow}`, ["allow", allow]);
}

function compose(middleware: readonly Middleware[], last: (ctx: Context) => Answer | Promise<Answer>) {
  const step = (at: number, ctx: Context): Answer | Promise<Answer> => {
    const current = middleware[at];
    return current ? current(ctx, async () => step(at + 1, ctx)) : last(ctx);
  };
  return (ctx: Context): Answer | Promise<Answer> => step(0, ctx);
}
