/**
 * Test support: a small site behind each adapter, so that facts about HTTP are tested in memory and over a real
 * socket. Contains no tests.
 */
import { request as nodeRequest, type IncomingMessage } from "node:http";
import { after, before, describe } from "node:test";
import { CidrSet } from "../security/ssrf/cidr.ts";
import { SvcError } from "../shared/errors.ts";
import { createHttp, type Http } from "./http.ts";
import type { ErrorHandler, PipelineOptions } from "./pipeline.ts";
import { bufferReadyDocument, compressBody, keepCookiesPrivate, saveSession } from "./response/steps.ts";
import { dispatch } from "./routing/dispatch.ts";
import { compose } from "./routing/middleware.ts";
import { errorProblem, problem } from "./response/response.ts";
import { Router } from "./routing/router.ts";
import { listen, type Listening, type Timeouts } from "./server.ts";
import type { Handler, Middleware, Result } from "./types.ts";

export interface Reply {
  status: number;
  /** By lower-case name; repeated headers are joined with ", ". */
  headers: Record<string, string>;
  cookies: string[];
  bytes: Buffer;
  text: string;
}

export interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request through one adapter. */
export type Send = (target: string, init?: Init) => Promise<Reply>;

export interface Site extends Partial<PipelineOptions> {
  /** Default: false. */
  compress?: boolean;
  /** `"GET /path"` -> handler. */
  routes: Record<string, Handler>;
  /** Around each of them, and around unknown paths. */
  middleware?: readonly Middleware[];
}

/** All errors that the response does not contain. */
export interface Faults {
  faults: unknown[];
}

const finished = (result: Result): Result => ({ ...result, headers: [...result.headers, "x-finished", "yes"] });

export function siteHttp({ routes, middleware = [], compress = false, ...options }: Site): Http & Faults {
  const router = new Router();
  const faults: unknown[] = [];
  for (const [key, handler] of Object.entries(routes)) {
    const space = key.indexOf(" ");
    router.add(key.slice(0, space), key.slice(space + 1), handler, middleware);
  }
  const onError: ErrorHandler = (error, ctx) => {
    if (!(error instanceof SvcError)) faults.push(error);
    return errorProblem(error, ctx, false);
  };
  const notFound = compose(middleware, ({ path }) => problem(404, "SVC_NOT_FOUND", `Nothing is at ${path}`));
  const http = createHttp({
    trusted: new CidrSet([]),
    handle: dispatch(router, notFound),
    claims: (method, { routed }) => router.match(method, routed).kind === "found",
    onError,
    steps: [
      saveSession(onError),
      keepCookiesPrivate,
      (_ctx, result) => finished(result),
      bufferReadyDocument,
      ...(compress ? [compressBody] : []),
    ],
    completeUnparsed: finished,
    ...options,
  });
  return { ...http, faults };
}

/** Declares the same tests for the site in memory and over a socket. */
export function throughBothAdapters(what: string, site: Site, tests: (send: Send, http: Http & Faults) => void): void {
  const http = siteHttp(site);
  describe(`${what} (in memory)`, () => tests((target, init) => sendInMemory(http, target, init), http));
  describe(`${what} (over a socket)`, () => {
    let server: Listening;
    before(async () => void (server = await listenTo(http)));
    after(() => server.close(0));
    tests((target, init) => sendOverSocket(server.port, target, init), http);
  });
}

export function listenTo(http: Http & Faults, timeouts: Timeouts = {}): Promise<Listening> {
  const where = { host: "127.0.0.1", port: 0, canFallBack: false, refuse: http.refuse, timeouts };
  return listen(http.handler, where, (error) => http.faults.push(error));
}

async function sendInMemory(http: Http, target: string, init: Init = {}): Promise<Reply> {
  const response = await http.fetch(new Request(`http://127.0.0.1${target}`, init));
  const headers = Object.fromEntries(response.headers);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers, cookies: response.headers.getSetCookie(), bytes, text: bytes.toString() };
}

export function sendOverSocket(port: number, target: string, init: Init = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = init;
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { host: "127.0.0.1", port, path: target, method, agent: false, headers: { ...length, ...headers } };
    const request = nodeRequest(options, (message) => void readReply(message).then(resolve, reject));
    request.on("error", reject);
    request.end(body);
  });
}

async function readReply(message: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  const bytes = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 0,
    headers,
    cookies: message.headers["set-cookie"] ?? [],
    bytes,
    text: bytes.toString(),
  };
}
