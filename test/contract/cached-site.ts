/** Apps in memory whose pages have cache rules, and visitors that every request header identifies. */
import { createApp, page, type App, type AppOptions, type Context, type PageCache } from "svckit";
import { html, t } from "svckit/jsx-runtime";
import { recordLog, SimulatedClock, type LogEntry } from "svckit/testing";

const SITE = "https://books.example";
const ENV = { NODE_ENV: "test", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_SITE_URL: SITE };
const apps: App[] = [];

export async function closeSites(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.close()));
}

interface Site {
  readonly app: App;
  readonly clock: SimulatedClock;
  readonly logged: readonly LogEntry[];
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
}
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The complete response as text. */
  readonly all: string;
}

export function siteOf(options: AppOptions): Site {
  const clock = new SimulatedClock();
  const log = recordLog();
  const app = createApp({ env: ENV, log, clock, compress: false, ...options });
  apps.push(app);
  return {
    app,
    clock,
    logged: log.entries,
    async get(path, headers = {}, method = "GET") {
      const url = path.startsWith("http") ? path : SITE + path;
      const response = await app.fetch(
        new Request(url, { method, headers: { accept: "text/html", ...headers }, redirect: "manual" }),
      );
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        all: text + JSON.stringify([...response.headers]),
      };
    },
  };
}

/** One page that shows the result of `load`. */
export function siteWith(cache: PageCache, load: (ctx: Context) => unknown, options: AppOptions = {}): Site {
  const view = (data: unknown) => html(() => `<p>${t(JSON.stringify(data))}</p>`);
  return siteOf({ pages: [page("/books/:id", { title: "Books", load, view, cache })], ...options });
}

export const isShared = ({ headers }: Answer): boolean => /public|s-maxage/.test(headers.get("cache-control") ?? "");

/** Ways to read a visitor's request. Each returns a text with the marker that the visitor's request contains. */
export const LOOKS: Record<string, (ctx: Context) => unknown> = {
  cookies: (ctx) => ctx.cookies["visitor"],
  "signed cookie": (ctx) => ctx.signedCookie("visitor"),
  "a header": (ctx) => ctx.header("x-visitor"),
  "user agent": (ctx) => ctx.header("user-agent"),
  authorization: (ctx) => ctx.header("authorization"),
  "cookie header": (ctx) => ctx.header("cookie"),
  "address of the client": (ctx) => ctx.clientIp,
  "request id": (ctx) => ctx.requestId,
  trace: (ctx) => JSON.stringify(ctx.trace),
  request: (ctx) => [...ctx.request.headers].join(),
  "request's address": (ctx) => ctx.request.url,
  nonce: (ctx) => ctx.nonce,
  session: async (ctx) => JSON.stringify((await ctx.session()).get("visitor" as never) ?? ""),
  "session id": (ctx) => ctx.sessionId,
  host: (ctx) => ctx.header("host"),
  "forwarded host": (ctx) => ctx.header("x-forwarded-host"),
  body: async (ctx) => ctx.text(100),
};

/** Not hexadecimal, so that no random id looks like one of them. */
export const VISITORS = ["lovelace", "hopper", "turing"];

/** A visitor whose every header contains the marker. */
export function visitor(marker: string): Record<string, string> {
  return {
    cookie: `visitor=${marker}; svc-session=${marker}`,
    "x-visitor": marker,
    "user-agent": marker,
    authorization: `Bearer ${marker}`,
    "x-request-id": marker,
    tracestate: `a=${marker}`,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "x-forwarded-host": `${marker}.example`,
    "x-forwarded-for": marker,
    "if-none-match": `"${marker}"`,
    "accept-language": marker,
  };
}
