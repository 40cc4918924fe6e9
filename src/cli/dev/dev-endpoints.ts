/**
 * Endpoints of `svc dev`: the development script, the stream of changes, the state that pages keep over an edit, positions
 * of errors, the editor, and all requests while the source does not compile. They expose source code, so only the developer's own browser
 * may use them.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { relative, resolve } from "node:path";
import { DEV_ASSETS_DIR } from "../../platform/package/package-root.ts";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { eventStream } from "../../platform/http/response/event-stream.ts";
import { createHttp, type Http } from "../../platform/http/http.ts";
import { keepCookiesPrivate } from "../../platform/http/response/steps.ts";
import { dispatch } from "../../platform/http/routing/dispatch.ts";
import { errorProblem, html, json } from "../../platform/http/response/response.ts";
import { Router } from "../../platform/http/routing/router.ts";
import { loadFolder, REVALIDATE, serveFile } from "../../platform/http/response/static-files.ts";
import type { Context, Handler, Result } from "../../platform/http/types.ts";
import { CidrSet } from "../../platform/security/ssrf/cidr.ts";
import { isHtml } from "../../app/pipeline/dev-script.ts";
import { isFromOwnPage, seemsLocal } from "../../platform/security/exposure.ts";
import type { SiteRules } from "../../platform/security/site-rules.ts";
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

/** Limit for the state of a page or a stack trace. */
const BODY_LIMIT = 8 * 1024 * 1024;
/** A page requests the state that it has just sent, so a few states are enough. */
const KEPT_STATES = 20;

export interface DevEndpointsOptions {
  root: string;
  /** Hosts for which the endpoints answer. */
  site: SiteRules;
  host: DevHost;
  pages: DevPages;
  /** Aborts the streams. */
  closing: AbortSignal;
  /** Reports errors of browsers, and knows the fault to show while no app runs. */
  news: {
    readonly fault: DevFault | undefined;
    thrownInBrowser(fault: DevFault): void;
    brokenStyle(error: unknown, request: string): void;
  };
}

export class DevEndpoints {
  readonly #options: DevEndpointsOptions;
  readonly #http: Http;
  readonly #states = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(options: DevEndpointsOptions) {
    this.#options = options;
    this.#http = createHttp({
      trusted: new CidrSet([]),
      site: options.site,
      handle: dispatch(this.#routes(), (ctx) => this.#broken(ctx)),
      claims: () => true,
      onError: (error, ctx) => errorProblem(error, ctx, true),
      steps: [keepCookiesPrivate, (ctx, result) => withSecurityHeaders(result, ctx)],
      completeUnparsed: (result) => withSecurityHeaders(result),
    });
  }

  /** Whether a request belongs to these endpoints and not to the app. */
  owns(path: string): boolean {
    return path.startsWith(`${PATHS.dev}/`) || path === PATHS.devClient;
  }

  /** Answers requests to these endpoints, and all requests while no app runs. */
  async answer(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", "http://svc");
    const caller = { peer: message.socket.remoteAddress ?? "", header: (name: string) => headerOf(message, name) };
    if (url.pathname === PATHS.devOpen && seemsLocal(caller)) return this.#open(url, message, reply);
    const file = importedFile(url.pathname);
    if (file !== undefined && isFromOwnPage(caller)) return this.#serveFile(file, url.pathname, message, reply);
    return this.#http.handler(message, reply);
  }

  /** A stylesheet with an error is shown over the page, which keeps the stylesheet that it has. */
  async #serveFile(file: string, path: string, message: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { host, news } = this.#options;
    try {
      await host.serveFile(file, message, reply);
    } catch (error) {
      news.brokenStyle(error, path);
      reply.writeHead(500, { "content-type": "text/css", "cache-control": "no-store" }).end();
    }
  }

  refuse(error: SvcError): Result {
    return this.#http.refuse(error);
  }

  /** The state that a page sent under this id. */
  kept(id: string): ReadonlyMap<string, unknown> | undefined {
    return this.#states.get(id);
  }

  #routes(): Router {
    const { pages, closing } = this.#options;
    const client = loadFolder(DEV_ASSETS_DIR).get("dev.js");
    const router = new Router();
    const add = (method: string, path: string, handler: Handler): void =>
      router.add(method, path, (ctx) => {
        if (isFromOwnPage(ctx, this.#options.site)) return handler(ctx);
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
    // 204 keeps the browser on its page.
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

/** Path of a stylesheet, image, font or other file; never a module, which contains source code. */
function importedFile(path: string): string | undefined {
  const file = path.startsWith(`${PATHS.devFiles}/`) ? path.slice(PATHS.devFiles.length) : undefined;
  return file === undefined || /\.[cm]?[jt]sx?$/i.test(file) ? undefined : file;
}

/** @param build id of the page's build. The script reloads the page when there is another one. */
export function devScript(nonce: string, build: string): string {
  return `<script type="module" nonce="${nonce}" src="${PATHS.devClient}" ${DOM.devBuild}="${build}"></script>`;
}

async function bodyOf<Shape>(ctx: Context): Promise<Shape> {
  // No form can send this type, so a page of another site would need a preflight first.
  if (ctx.header("content-type") !== "application/json")
    throw new SvcError("SVC_CONTENT_TYPE", "Send application/json");
  // The body comes from svc's own script.
  return JSON.parse(await ctx.text(BODY_LIMIT)) as Shape;
}

function headerOf(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return typeof value === "string" ? value : undefined;
}

const HEADERS = new SecurityHeaders();

function withSecurityHeaders(result: Result, ctx?: Context): Result {
  const nonce = isHtml(result.headers) ? (ctx?.nonce ?? createNonce()) : undefined;
  return { ...result, headers: HEADERS.complete(result.headers, { isSecure: false, nonce }) };
}
