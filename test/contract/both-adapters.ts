/**
 * Declares the same tests for the app in memory (`app.fetch`) and over a socket (`app.start`), so that one table of cases
 * covers both adapters. Contains no tests.
 */
import { request as nodeRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { after, before, describe } from "node:test";
import { createTestClient, type TestClient } from "svckit/testing";
import type { App, AppOptions } from "svckit";
import { createFixture, type Fixture } from "./app.ts";

/** One adapter of the app as tests see it. */
export interface Site {
  readonly app: App;
  /** A test client that sends its requests through this adapter. */
  readonly client: TestClient;
  readonly logged: readonly string[];
  /** Sends one request unchanged: without cookie or token. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Undefined in memory. */
  port(): number | undefined;
}

type Fetch = (request: Request) => Promise<Response>;

/** Declares the same tests for an app in memory and over a socket. Each adapter has an app of its own. */
export function describeBothAdapters(
  what: string,
  tests: (site: Site) => void,
  env: Record<string, string> = {},
  options: AppOptions = {},
): void {
  const inMemory = createFixture(env, options);
  void describe(`${what} (in memory)`, () => {
    after(() => inMemory.close());
    tests(siteOf(inMemory, inMemory.app.fetch.bind(inMemory.app)));
  });
  const overSocket = createFixture(env, options);
  let url: string | undefined;
  void describe(`${what} (over a socket)`, () => {
    let close: () => Promise<unknown>;
    before(async () => {
      const started = await overSocket.app.start({ port: 0, host: "127.0.0.1" });
      url = started.url;
      close = () => started.close();
    });
    after(async () => {
      await close();
      await overSocket.close();
    });
    tests(
      siteOf(
        overSocket,
        (request) => fetchFrom(portOf(url), request),
        () => portOf(url),
      ),
    );
  });
}

function siteOf(fixture: Fixture, fetch: Fetch, port: Site["port"] = () => undefined): Site {
  return {
    app: fixture.app,
    logged: fixture.logged,
    client: createTestClient({ fetch }, { tokenPage: "/_svc/demo" }),
    send: (path, init = {}) => fetch(new Request(`http://localhost${path}`, { redirect: "manual", ...init })),
    port,
  };
}

function portOf(url: string | undefined): number {
  if (url === undefined) throw new Error("The socket is not open yet");
  return Number(new URL(url).port);
}

/** A web request over a socket of its own: no pool, no redirects, no decoding. */
async function fetchFrom(port: number, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const headers = { host, ...length, ...Object.fromEntries(request.headers) };
  const options = { host: "127.0.0.1", port, path: pathname + search, method: request.method, agent: false, headers };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = nodeRequest(options, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
  return toResponse(message, request.method);
}

function toResponse(message: IncomingMessage, method: string): Response {
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
  const status = message.statusCode ?? 0;
  const isBare = method === "HEAD" || status === 204 || status === 304;
  if (isBare) message.resume();
  // The types of Node's web stream and of `Response` differ in name only.
  const body = isBare ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}
