/** The services of a booted app, for endpoints and pages. */
import { setMaxListeners } from "node:events";
import type { Context, Middleware } from "../platform/http/types.ts";
import type { Sessions } from "../platform/http/sessions/session-keys.ts";
import type { Prefetch } from "../web/ssr/document.ts";
import type { Router } from "../platform/http/routing/router.ts";
import type { OwnSecurityOptions } from "../platform/security/headers.ts";
import type { SiteRules } from "../platform/security/site-rules.ts";
import type { Secrets } from "../platform/security/secrets.ts";
import type { Clock } from "../platform/shared/clock.ts";
import type { Log } from "../platform/shared/log.ts";
import type { ActivityLog } from "./observability/activity.ts";
import type { App } from "./app-types.ts";
import type { AnyAction } from "./actions/action.ts";
import type { IdempotencyStore } from "./actions/idempotency.ts";
import type { ChangeFeed } from "./lifecycle/change-feed.ts";
import type { Config } from "./lifecycle/config.ts";
import type { Family } from "./observability/metrics/exposition.ts";
import type { Metrics } from "./observability/metrics/metrics.ts";
import type { SecurityLog } from "./observability/security-log.ts";
import type { DeferredOperations } from "./lifecycle/deferred-operations.ts";
import type { Limits } from "./pipeline/rate-limits.ts";
import type { OperatorAccess } from "./pipeline/operator-access.ts";
import type { OperatorSessions } from "./pipeline/operator-sessions.ts";
import type { PageCache } from "./pages/page-cache.ts";
import type { Phases } from "./pipeline/timing.ts";
import type { ReadyChecks } from "./lifecycle/readiness.ts";
import type { Listens } from "./lifecycle/settings.ts";
import type { Assets } from "./lifecycle/assets.ts";
import type { SubmitDefinition } from "./forms/submit.ts";
import type { Backend } from "./lifecycle/backend-types.ts";

export interface Services extends Backend {
  /** The app object that its author uses. */
  readonly app: App;
  readonly config: Config;
  /** Hosts for which the app answers, and whether they imply HTTPS. */
  readonly siteRules: SiteRules;
  readonly clock: Clock;
  /** Announces changes to screens and streams. */
  readonly changes: ChangeFeed;
  /** Recent activity of runs in all processes. */
  readonly activity: ActivityLog;
  readonly site: Assets;
  /** Secrets that sign tokens and cookies, and seal sessions. */
  readonly secrets: Secrets;
  readonly sessions: Sessions;
  readonly actions: ReadonlyMap<string, AnyAction>;
  readonly submits: ReadonlyMap<string, SubmitDefinition>;
  readonly limits: Limits;
  readonly operatorAccess: OperatorAccess;
  readonly operatorSessions: OperatorSessions;
  readonly answers: IdempotencyStore;
  /** Operations that run after a delay unless they are undone. */
  readonly deferred: DeferredOperations;
  readonly pageCache: PageCache;
  /** Whether svc compresses responses, instead of a proxy. */
  readonly hasCompression: boolean;
  readonly stylesheets: readonly string[];
  /** Whether pages link the stylesheets that the app's modules import. */
  readonly hasImportedStyles: boolean;
  readonly icon: string | undefined;
  /** Path of the public file for unknown paths. */
  readonly fallback: string | undefined;
  /** Of pages without their own setting. */
  readonly prefetch: Prefetch;
  /** Whether scripts may only create HTML through Trusted Types policies. */
  readonly hasTrustedTypes: boolean;
  /** Fingerprint of a page's policy, from the app's security options and those of the page. */
  readonly policyMarkOf: (own: OwnSecurityOptions | undefined) => string;
  /** Whether visitors may choose a theme. */
  readonly hasThemes: boolean;
  readonly startedMs: number;
  /** URL by which this process can reach itself; undefined without a socket. */
  readonly ownUrl: string | undefined;
  /** Address of its own socket. */
  readonly listens: Listens | undefined;
  /** Aborts when the app begins to close: open event streams end. */
  readonly closing: AbortSignal;
  readonly log: Log;
  readonly security: SecurityLog;
  readonly metrics: Metrics;
  readonly phases: Phases;
  /** Readiness checks of the author, and of a backend that is not open yet. */
  readonly readyChecks: ReadyChecks;
  /** Metrics of the author. */
  readonly ownMetrics: () => readonly Family[];
}

/** Dependencies of a group of endpoints. */
export interface Endpoints {
  readonly router: Router;
  readonly services: Services;
  /** The app's middleware, for endpoints that it wraps. */
  readonly middleware: readonly Middleware[];
}

/** A signal that aborts when the client disconnects or the app closes. */
export function streamSignal(ctx: Context, services: Services): AbortSignal {
  const signal = AbortSignal.any([ctx.signal, services.closing]);
  setMaxListeners(Infinity, signal);
  return signal;
}
