/**
 * What `svc dev` answers by itself, beside and instead of the app: the script of its pages, their stream of changes, the
 * values they keep over an edit, the places of their errors, the editor, and every request while the source does not
 * compile. Whoever reads the source from here can as well read it on disk, so only the developer's own browser may.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { relative, resolve } from "node:path";
import { DEV_ASSETS_DIR } from "../../platform/package/package-root.ts";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { eventStream } from "../../platform/http/response/event-stream.ts";
import { createHttp, type Http } from "../../platform/http/http.ts";
import { errorProblem, html, json } from "../../platform/http/response/response.ts";
import { Router } from "../../platform/http/routing/router.ts";
import { loadFolder, REVALIDATE, serveFile } from "../../platform/http/response/static-files.ts";
import type { Context, Handler, Result } from "../../platform/http/types.ts";
import { CidrSet } from "../../platform/security/cidr.ts";
import { isHtml } from "../../app/pipeline/dev-script.ts";
import { isFromOwnPage, seemsLocal } from "../../platform/security/exposure.ts";
import { SecurityHeaders } from "../../platform/security/headers.ts";
import { createNonce, randomHex } from "../../platform/security/random.ts";
import { systemClock } from "../../platform/shared/clock.ts";
import { deserialize } from "../../platform/shared/deserialize.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { faultPage, type DevFault } from "../../platform/shared/dev-fault.ts";
import type { Json } from "../../platform/shared/json.ts";
import { DOM, PATHS } from "../../platform/shared/wire.ts";
import { faultOf, type Thrown, type Trace } from "./dev-fault.ts";
import type { DevPages } from "./dev-pages.ts";

/** State of a page, or a stack: more is no page of a person's. */
const BODY_LIMIT = 8 * 1024 * 1024;
/** A page asks for what it has just sent; of others it is never asked again. */
const KEPT_STATES = 20;

export interface DevEndpointsOptions {
  root: string;
  host: DevHost;
  pages: DevPages;
  /** Ends the streams. */
  closing: AbortSignal;
  /** Told of errors in browsers; knows what pages are answered with while there is no app. */
  news: { readonly fault: DevFault | undefined; thrownInBrowser(fault: DevFault): void };
}

export class DevEndpoints {
  readonly #options: DevEndpointsOptions;
  readonly #http: Http;
  readonly #states = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(options: DevEndpointsOptions) {
    this.#options = options;
    const headers = new SecurityHeaders();
    this.#http = createHttp({
      router: this.#routes(),
      trusted: new CidrSet([]),
      notFound: (ctx) => this.#broken(ctx),
      onError: (error, ctx) => errorProblem(error, ctx, true),
      finish: (ctx, result) => {
        const nonce = isHtml(result.headers) ? (ctx?.nonce ?? createNonce()) : undefined;
        return { ...result, headers: headers.complete(result.headers, { isSecure: false, nonce }) };
      },
    });
  }

  /** Whether a request is for this file and not for the app. */
  owns(path: string): boolean {
    return path.startsWith(`${PATHS.dev}/`) || path === PATHS.devClient;
  }

  /** Answers what it owns, and whatever the app can't be asked. */
  async answer(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", "http://svc");
    const caller = { peer: message.socket.remoteAddress ?? "", header: (name: string) => headerOf(message, name) };
    if (url.pathname === PATHS.devOpen && seemsLocal(caller)) return this.#open(url, message, reply);
    return this.#http.handler(message, reply);
  }

  refuse(error: SvcError): Result {
    return this.#http.refuse(error);
  }

  /** What a page has sent under this id. */
  kept(id: string): ReadonlyMap<string, unknown> | undefined {
    return this.#states.get(id);
  }

  #routes(): Router {
    const { pages, closing } = this.#options;
    const client = loadFolder(DEV_ASSETS_DIR).get("dev.js");
    const router = new Router();
    const add = (method: string, path: string, handler: Handler): void =>
      router.add(method, path, (ctx) => {
        if (isFromOwnPage(ctx)) return handler(ctx);
        throw new SvcError("SVC_FORBIDDEN", "Only pages of the app under development may ask for this");
      });
    if (client) router.add("GET", PATHS.devClient, (ctx) => serveFile(ctx, client, REVALIDATE));
    add("GET", PATHS.devEvents, (ctx) => {
      const signal = AbortSignal.any([ctx.signal, closing]);
      return eventStream(pages.follow(signal), { clock: systemClock, signal });
    });
    add("POST", PATHS.devValues, async (ctx) => json({ id: this.#keep(await bodyOf<Json>(ctx)) }));
    add("POST", PATHS.devFault, async (ctx) => json(this.#browserFault(await bodyOf<Thrown>(ctx))));
    return router;
  }

  #keep(state: Json): string {
    const id = randomHex(8);
    this.#states.set(id, new Map(Object.entries(deserialize(state) as Record<string, unknown>)));
    for (const [oldest] of this.#states) {
      if (this.#states.size <= KEPT_STATES) break;
      this.#states.delete(oldest);
    }
    return id;
  }

  #browserFault(thrown: Thrown): DevFault {
    const { root, host, news } = this.#options;
    const trace: Trace = (file, line, column) => {
      const name = file.startsWith("http") ? /\/handler\/([\w.-]+)\.js$/.exec(new URL(file).pathname)?.[1] : undefined;
      return name === undefined ? undefined : host.sourceOf(name, line, column);
    };
    const fault = faultOf("browser", thrown, root, trace);
    news.thrownInBrowser(fault);
    return fault;
  }

  #open(url: URL, message: IncomingMessage, reply: ServerResponse): void {
    const [, file = "", position = ""] = /^(.*?)((?::\d+){0,2})$/.exec(url.searchParams.get("file") ?? "") ?? [];
    const path = resolve(this.#options.root, file);
    const isInside = !relative(this.#options.root, path).startsWith("..");
    url.searchParams.set("file", isInside ? path + position : this.#options.root);
    message.url = url.pathname + url.search;
    // The browser stays where it is.
    reply.statusCode = 204;
    this.#options.host.openEditor(message, reply);
  }

  #broken(ctx: Context): Result {
    const { fault } = this.#options.news;
    if (!fault) throw new SvcError("SVC_NOT_FOUND", `Nothing is at ${ctx.path}`);
    if (!ctx.header("accept")?.includes("text/html")) throw new SvcError("SVC_UNAVAILABLE", fault.message);
    return html(faultPage(fault, ctx.nonce, devScript(ctx.nonce, "")), 500, ["cache-control", "no-store"]);
  }
}

/** @param build that made the page; it asks for its successor when there is another. */
export function devScript(nonce: string, build: string): string {
  return `<script type="module" nonce="${nonce}" src="${PATHS.devClient}" ${DOM.devBuild}="${build}"></script>`;
}

async function bodyOf<Shape>(ctx: Context): Promise<Shape> {
  // A type that no form can send: a page of another site would have to ask first.
  if (ctx.header("content-type") !== "application/json")
    throw new SvcError("SVC_CONTENT_TYPE", "Send application/json");
  // Of our own script.
  return JSON.parse(await ctx.text(BODY_LIMIT)) as Shape;
}

function headerOf(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return typeof value === "string" ? value : undefined;
}
