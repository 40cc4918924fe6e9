/** What an app is made of, as its author writes it, and where a start finds its built files. */
import type { SecurityHeaderOptions } from "../platform/security/headers.ts";
import type { OneTimeLink } from "../platform/security/one-time-link.ts";
import type { GraphDefinition, Worker } from "../graphs/definition/definition-types.ts";
import type { GraphLimits } from "../graphs/definition/value-limits.ts";
import type { ScheduleDefinition } from "../graphs/schedules/schedule-types.ts";
import type { WorkerToolOptions } from "../graphs/execution/attempt/worker-tools.ts";
import type { Clock, Duration } from "../platform/shared/clock.ts";
import type { Log } from "../platform/shared/log.ts";
import type { Manifest } from "../platform/shared/manifest.ts";
import type { SessionStore } from "../platform/http/sessions/session-keys.ts";
import type { Timeouts } from "../platform/http/server.ts";
import type { Middleware } from "../platform/http/types.ts";
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
  /** How long a session lives after it was last used; it is renewed once half of that is over. Default "14d". */
  lifetime?: Duration;
  /**
   * How long it lives at most, however often it is used, so that a stolen cookie is not good for ever; counts anew from
   * `regenerate()`, which belongs to each sign-in. Default "90d", or `lifetime` where that is more.
   */
  longest?: Duration;
  /**
   * Default: sessions are in the visitor's cookie, sealed: no read, no write, up to about 3 KB, and a copy of the cookie
   * is good until it runs out. `"database"` is the app's own (`SVC_DATABASE_URL`). A store holds more, and ends a session for
   * good when it is destroyed.
   */
  store?: "database" | SessionStore;
}

/** Options of graphs and webhooks. An app that sets one opens its database when it boots, otherwise on first use. */
export interface BackendOptions {
  /** Workers that may be started by name; those of `graphs` are known without being listed. */
  workers?: readonly Worker<never, unknown>[];
  graphs?: readonly GraphDefinition[];
  /** Graphs and workers that are started by the clock. Those of an earlier start that are not among them are gone. */
  schedules?: readonly ScheduleDefinition[];
  /** How many attempts of all workers may run at once; which waits then, priority tells. Default: no limit but the workers' own. `SVC_GRAPH_CONCURRENCY` stands above it. */
  graphConcurrency?: number;
  /** Which addresses `ctx.fetch` of workers may reach, and its limits. Default: public addresses. */
  tools?: WorkerToolOptions;
  /** How long graphs are kept once they have finished, such as "30d". Default: for ever. `SVC_RETENTION` stands above it. */
  graphRetention?: Duration;
  /** How large values of graphs may be, how often they tell of progress, how long a pause waits. Variables such as `SVC_GRAPH_INPUT_BYTES` stand above it. */
  graphLimits?: GraphLimits;
  /** Delays before each attempt of a delivery, the first included. Default: Standard Webhooks. */
  webhookSchedule?: readonly Duration[];
  /** Largest body of a delivery, in bytes, that carries its result; larger ones say where to fetch it. Default 256 KiB. `SVC_WEBHOOK_PAYLOAD_BYTES` stands above it. */
  webhookPayloadBytes?: number;
  /** Connections to receivers, in all and to each webhook. Default 64 and 8. `SVC_WEBHOOK_CONNECTIONS` stands above `total`. */
  webhookConnections?: { total?: number; perEndpoint?: number };
  /** Told when deliveries have disabled a webhook: answered 410, or nothing but failures for 120 h. Must not throw. */
  onWebhookDisabled?: (webhook: RegistrationView) => void;
}

export interface AppOptions extends BackendOptions {
  /** Pages, and groups of them. What is in `pages` and what in `routes` is for the eye: both may hold both. */
  pages?: readonly Entry[];
  /** Endpoints of the app's own, and groups of them. */
  routes?: readonly Entry[];
  /**
   * Pages for people who ask for what is not there, in place of the built-in one: `page("/**:path", …)` below the root,
   * `page("/docs/**:path", …)` below `/docs`. Their status is 404 unless they give another than 200.
   */
  notFound?: readonly PageDefinition[];
  /**
   * Pages and endpoints that come with the framework or with a package, by name: those of `ops` are at `/_svc/ops` and
   * below, their own paths begin there. They are outside the app's middleware and without its stylesheets and icon. A name is small
   * letters and dashes, and not that of a built-in path.
   */
  extensions?: Readonly<Record<string, readonly Entry[]>>;
  /** Server actions by the name they are called with: `{ addTodo }`. */
  actions?: Readonly<Record<string, AnyAction>>;
  /**
   * Form submits by the name that they are posted to. What makes them is `submit` of `svckit/fullstack`, whose apps find them by
   * themselves; without any there is no endpoint.
   */
  submits?: Readonly<Record<string, SubmitDefinition>>;
  /** Stylesheets of every page, by URL: `["/app.css"]` for `public/app.css`. */
  stylesheets?: readonly string[];
  /** Icon of every page, by URL: `"/icon.svg"` for `public/icon.svg`. Without one browsers ask for `/favicon.ico`. */
  icon?: string;
  /**
   * Whether visitors may choose a theme: `<ThemeSwitch>` can be used, and `<html>` of every page has `data-svc-theme` (`system`, `light`,
   * `dark` or `contrast`) and the `color-scheme` of it, from a cookie. Default false.
   */
  themes?: boolean;
  /**
   * Around every page, route, action and public file, and around the 404 of what is none of them; outermost first. Not
   * around the framework's own files and endpoints. An action's runs once its call has passed the checks of contract
   * section 5.
   */
  middleware?: readonly Middleware[];
  /**
   * Whether pages, and JSON, text and SVG of routes, are compressed on their way out (brotli or gzip, from 1 KiB on).
   * `false` where a proxy in front does it. Default true.
   */
  compress?: boolean;
  session?: SessionOptions;
  /** Public pages that are kept to be answered with again (`cache` of `page`); `bytes` is the most they take together, default 64 MiB. */
  pageCache?: { bytes?: number };
  /** How long clients may take where the app listens by itself, in milliseconds; to raise where big files are sent. */
  timeouts?: Timeouts;
  /** Security headers; the defaults are contract section 1. */
  security?: SecurityHeaderOptions;
  /** Whether the webhook demo is there. Default: everywhere but in production. */
  demo?: boolean;
  /** Default: the process's environment. */
  env?: Environment;
  /** Default: the system's. */
  clock?: Clock;
  /**
   * Told of what nobody else sees: a pino instance, or anything with its `debug`, `info`, `warn` and `error`. Default: lines on
   * stderr, JSON in the shape of pino's in production and text in development, from SVC_LOG_LEVEL on.
   */
  log?: Log;
  /**
   * Whether each request is logged, at `info`: method, route, status, time, bytes, client address, request id; never the path
   * or the query, which may hold tokens. Default false: a proxy in front usually does, and a line costs more than a small page.
   */
  accessLog?: boolean;
  /**
   * Metrics of the app's own, beside the built-in ones: called at each look at the metrics endpoint. A name that is there
   * already fails that look.
   */
  metrics?: () => readonly MetricFamily[];
  /**
   * What must work before the app is sent requests, by name: `{ database: () => pool.query("select 1") }`. Each passes by
   * returning and fails by throwing or after 2 s; whoever asks for readiness learns the names of those that fail, the log why.
   */
  ready?: ReadyChecks;
  /**
   * Called once before the app boots, in development too: to migrate a database, or to refuse. What it throws stops the boot; an
   * app that is mounted in another server boots again, and calls it again, with the next request.
   */
  onBoot?: () => void | Promise<void>;
  /** How the app ends: when it stops to accept, and how long it waits for what is under way. */
  drain?: DrainOptions;
}

/** What a development host gives an app in place of built files. */
export interface DevSupport {
  manifest(): Manifest | Promise<Manifest>;
  /** Browser code of a chunk by its name without `.js`; undefined when there is none. */
  chunk(name: string): Promise<string | undefined>;
  /** Element that follows the source: stands in every page. */
  script(nonce: string): string;
  /** Values that a browser has kept over an edit, by the names that `ValueNames` gives. */
  kept(id: string): ReadonlyMap<string, unknown> | undefined;
  /** A document that tells of an error with its place in the source. */
  faultPage: (error: unknown, nonce: string) => string;
  /** The one-time link that the host has printed. */
  operatorLink?: Pick<OneTimeLink, "redeem" | "issuer">;
}

/** Where an app runs: all known only when it is started. */
export interface BootOptions {
  /** Folder that `svc build` wrote. Default: none, which is right for an app without browser code. */
  dist?: string;
  dev?: DevSupport;
  /** Files served at the root. Default: `public` inside `dist`. */
  publicDir?: string;
  /** Where the app is reached, once that is known: `http://127.0.0.1:3000`. */
  url?: string;
  /** Whether `url` stands in for SVC_SITE_URL where that is not set, in production too: `svc start` allows it where NODE_ENV is not set either. */
  canGuessSiteUrl?: boolean;
  /** Pages are rendered to be files (`exportPages`); told of those that look at a request, as routes are found, and at what of it. */
  exporting?: (routed: string, found: readonly string[]) => void;
}
