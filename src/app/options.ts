/** Options of an app, and of a start. */
import type { SecurityHeaderOptions } from "../platform/security/headers.ts";
import type { OneTimeLink } from "../platform/security/one-time-link.ts";
import type { GraphDefinition, Worker } from "../graphs/definition/definition-types.ts";
import type { EventDefinition } from "../graphs/definition/event-types.ts";
import type { GraphLimits } from "../graphs/definition/value-limits.ts";
import type { ScheduleDefinition } from "../graphs/schedules/schedule-types.ts";
import type { WorkerToolOptions } from "../graphs/execution/attempt/worker-tools.ts";
import type { Clock, Duration } from "../platform/shared/clock.ts";
import type { Log } from "../platform/shared/log.ts";
import type { Manifest } from "../platform/shared/manifest.ts";
import type { SessionStore } from "../platform/http/sessions/session-keys.ts";
import type { Timeouts } from "../platform/http/server.ts";
import type { Middleware } from "../platform/http/types.ts";
import type { Prefetch } from "../web/ssr/document.ts";
import type { AnyAction } from "./actions/action.ts";
import type { Environment } from "./lifecycle/config.ts";
import type { DrainOptions } from "./lifecycle/drain.ts";
import type { Entry } from "./pages/group.ts";
import type { PageDefinition } from "./pages/page.ts";
import type { Family as MetricFamily } from "./observability/metrics/exposition.ts";
import type { ReadyChecks } from "./lifecycle/readiness.ts";
import type { SubmitDefinition } from "./forms/submit.ts";
import type { RegistrationView } from "../webhooks/views.ts";

export interface SessionOptions {
  /** Lifetime of a session after its last use, such as `"14d"` or milliseconds; renewed after half of it. At least 1 s. Default `"14d"`. */
  lifetime?: Duration;
  /**
   * Longest lifetime of a session, regardless of use, so that a stolen cookie expires. `regenerate()`, which each sign-in should call,
   * restarts it. Default `"90d"`, or `lifetime` if that is longer.
   */
  longest?: Duration;
  /**
   * Storage of sessions. Default: the visitor's sealed cookie, without reads or writes, up to about 3 KB; a copied cookie stays valid
   * until it expires. `"database"` uses the app's database (`SVC_DATABASE_URL`). A store allows larger sessions, and `destroy` invalidates
   * the session immediately.
   */
  store?: "database" | SessionStore;
}

/** Options of graphs and webhooks. An app that sets one opens its database when it boots, otherwise on first use. */
export interface BackendOptions {
  /** Workers that can be started by name. Workers of `graphs` are included automatically. Default: none. */
  workers?: readonly Worker<never, unknown>[];
  /** Graphs that can be started by name, such as `[invoice]`. Default: none. */
  graphs?: readonly GraphDefinition[];
  /** Schedules that start graphs and workers. Schedules of an earlier start that are missing here are removed. Default: none. */
  schedules?: readonly ScheduleDefinition[];
  /**
   * Events that can be sent by name and that no graph names in `on` or `cancelOn`: their schemas validate the data. Default: none; an
   * event without a known schema is accepted with any data.
   */
  events?: readonly EventDefinition[];
  /** Time to keep sent events, for waits that begin later and to recognize ids that were sent before. Default "24h". */
  eventRetention?: Duration;
  /**
   * Limit of concurrent attempts of all workers together; queued attempts run by priority. A whole number of at least 1. Default: only the
   * workers' own limits apply. `SVC_GRAPH_CONCURRENCY` overrides it.
   */
  graphConcurrency?: number;
  /** Allowed addresses and limits of `ctx.fetch` in workers. Default: public addresses. */
  tools?: WorkerToolOptions;
  /** Time to keep finished runs, such as `"30d"`. Default: forever. `SVC_RETENTION` overrides it. */
  graphRetention?: Duration;
  /**
   * Limits of runs: sizes of values in bytes, progress events per second, grace of a pause. Variables such as `SVC_GRAPH_INPUT_BYTES`
   * override it.
   */
  graphLimits?: GraphLimits;
  /** Delay before each attempt of a delivery, including the first: `["0s", "5s", "5m"]`. Default: the schedule of Standard Webhooks. */
  webhookSchedule?: readonly Duration[];
  /**
   * Largest delivery body in bytes that contains the run's result; a larger one contains the URL of the result instead. Default 256 KiB.
   * `SVC_WEBHOOK_PAYLOAD_BYTES` overrides it.
   */
  webhookPayloadBytes?: number;
  /** Limits of connections to receivers: in total, and per webhook. Default 64 and 8. `SVC_WEBHOOK_CONNECTIONS` overrides `total`. */
  webhookConnections?: { total?: number; perEndpoint?: number };
  /** Called when deliveries have disabled a webhook: its receiver answered 410, or every attempt failed for 120 h. Must not throw. */
  onWebhookDisabled?: (webhook: RegistrationView) => void;
}

export interface AppOptions extends BackendOptions {
  /** Pages, and groups of them. `pages` and `routes` accept the same entries; the distinction is for readers. Default: none. */
  pages?: readonly Entry[];
  /** Routes of the app, and groups of them. Default: none. */
  routes?: readonly Entry[];
  /**
   * Pages for unknown paths, for clients that prefer HTML; they replace the built-in page. `page("/**:path", …)` applies below the root,
   * `page("/docs/**:path", …)` below `/docs`. A page's status of 200 becomes 404. Default: none.
   */
  notFound?: readonly PageDefinition[];
  /**
   * A file of `public/` for unknown paths, with status 200, for clients that prefer HTML: `"/index.html"` of a single-page app, whose own
   * code shows the page of the path. An app that is mounted in another server leaves these paths to it. Default: none.
   */
  fallback?: string;
  /**
   * Pages and routes of the framework or of a package, by name: those of `ops` are at `/_svc/ops` and below, and their own paths are
   * relative to it. The app's middleware, stylesheets and icon do not apply to them. A name consists of lower-case letters and dashes, and
   * is not the name of a built-in path. Default: none.
   */
  extensions?: Readonly<Record<string, readonly Entry[]>>;
  /**
   * Server actions by the name of their export: `{ addTodo }`. The compiler adds those that handlers import, so list only the others, such as
   * one that just another program calls. Default: none.
   */
  actions?: Readonly<Record<string, AnyAction>>;
  /**
   * Form submits by the name that forms post to. `submit` of `svckit/fullstack` creates them, and full-stack apps register theirs
   * automatically. Default: none, and then no submit endpoint exists.
   */
  submits?: Readonly<Record<string, SubmitDefinition>>;
  /** URLs of stylesheets for every page: `["/app.css"]` for `public/app.css`. Default: none. */
  stylesheets?: readonly string[];
  /** URL of the icon of every page: `"/icon.svg"` for `public/icon.svg`. Default: none, and then browsers request `/favicon.ico`. */
  icon?: string;
  /**
   * When browsers fetch the code of pages. `"intent"`: when the visitor points at, touches or focuses an element or link. `"idle"`: also
   * all code of the page, once it has loaded and the browser is idle, so that every later event runs at once. `"none"`: at the first
   * event. Visitors who save data (`Save-Data`) get `"none"`. Default `"intent"`. A page's own `prefetch` overrides it.
   */
  prefetch?: Prefetch;
  /**
   * Whether visitors can choose a theme. Enables `<ThemeSwitch>`, and sets on `<html>` of every page `data-svc-theme` (`system`, `light`,
   * `dark` or `contrast`) and the matching `color-scheme`, from a cookie. Default false.
   */
  themes?: boolean;
  /**
   * Middleware around every page, route, action and public file, and around 404 responses; outermost first. It does not run for the
   * framework's own files and endpoints. For an action, it runs after the checks of docs/reference/http.md section 5. Default: none.
   */
  middleware?: readonly Middleware[];
  /**
   * Whether svc compresses pages, and JSON, text and SVG of routes, from 1 KiB (brotli or gzip). Set `false` if a proxy compresses.
   * Default true.
   */
  compress?: boolean;
  /** Lifetime and storage of sessions. */
  session?: SessionOptions;
  /** Cache for public pages (`cache` of `page`): `bytes` limits its size. Default 64 MiB. */
  pageCache?: { bytes?: number };
  /** Time limits for clients of the app's own server, such as `{ request: "5m" }` for large uploads. */
  timeouts?: Timeouts;
  /** Security headers. Default: those of docs/reference/http.md section 1. */
  security?: SecurityHeaderOptions;
  /** Whether the webhook demo is served. Default: true, except in production. */
  demo?: boolean;
  /** Variables of the app. Default: the environment of the process. */
  env?: Environment;
  /** Clock of the app. Default: the system clock. */
  clock?: Clock;
  /**
   * The app's log: a pino instance, or an object with the methods `debug`, `info`, `warn` and `error`. Default: lines on stderr, in pino's
   * JSON format in production and as text in development, from the level SVC_LOG_LEVEL.
   */
  log?: Log;
  /**
   * Whether each request is logged at `info`: method, route, status, duration, bytes, client address, request id; never the path or the
   * query, which may contain tokens. Default false, because a proxy usually logs requests, and a line costs more than a small page.
   */
  accessLog?: boolean;
  /**
   * Metrics of the app, in addition to the built-in ones; called for each request to the metrics endpoint. A name that is already in use
   * fails that request. Default: none.
   */
  metrics?: () => readonly MetricFamily[];
  /**
   * Readiness checks by name: `{ database: () => pool.query("select 1") }`. A check passes by returning, and fails by throwing or after
   * 2 s. `/ready` reports the names of failed checks; the log has their errors. Default: none.
   */
  ready?: ReadyChecks;
  /**
   * Called once before the app boots, also in development: for migrations or checks. An error stops the boot. An app that is mounted in
   * another server boots again with the next request, and then calls it again.
   */
  onBoot?: () => void | Promise<void>;
  /**
   * Called once after the app has closed, if `onBoot` has succeeded: for closing what `onBoot` opened. Under `svc dev`, each edit closes the
   * old app before the new one boots. An error is logged.
   */
  onClose?: () => void | Promise<void>;
  /** Shutdown of the app: delay before it stops accepting requests, and deadline for active ones. */
  drain?: DrainOptions;
}

/** The parts that a development host provides instead of built files. */
export interface DevSupport {
  manifest(): Manifest | Promise<Manifest>;
  /** Browser code of a chunk by its name without `.js`; undefined if it does not exist. */
  chunk(name: string): Promise<string | undefined>;
  /** The `<script>` that updates a page after source changes, for every page. @param caught an error that the page shows in its own way */
  script(nonce: string, caught?: unknown): string;
  /** Values that a browser has kept over an edit, by their names in `ValueNames`. */
  kept(id: string): ReadonlyMap<string, unknown> | undefined;
  /** A document that shows an error with its place in the source. */
  faultPage: (error: unknown, nonce: string) => string;
  /** The one-time link that the host has printed. */
  operatorLink?: Pick<OneTimeLink, "redeem" | "issuer">;
}

/** Environment of an app, known only at its start. */
export interface BootOptions {
  /** Output folder of `svc build`. Default: none, for an app without browser code. */
  dist?: string;
  dev?: DevSupport;
  /** Replaces the clock of the app, such as a `SimulatedClock` in tests of a built app. */
  clock?: Clock;
  /** Files served at the root. Default: `public` inside `dist`. */
  publicDir?: string;
  /** Base URL of the app, once it is known: `http://127.0.0.1:3000`. */
  url?: string;
  /** Whether `url` replaces a missing SVC_SITE_URL, even in production. `svc start` allows it unless NODE_ENV is set. */
  canGuessSiteUrl?: boolean;
  /**
   * Set while pages are exported (`exportPages`): called with each page that reads the request, by its routed path, and the properties that
   * it reads.
   */
  exporting?: (routed: string, found: readonly string[]) => void;
}
