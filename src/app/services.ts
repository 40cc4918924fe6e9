/** What endpoints and pages work with, once the app has booted. */
import { setMaxListeners } from "node:events";
import type { Context, Middleware } from "../platform/http/types.ts";
import type { Sessions } from "../platform/http/sessions/session-keys.ts";
import type { Router } from "../platform/http/routing/router.ts";
import type { OwnSecurityOptions } from "../platform/security/headers.ts";
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
import type { DeferredOperations } from "./lifecycle/deferred-operations.ts";
import type { Limits } from "./pipeline/rate-limits.ts";
import type { OperatorAccess } from "./pipeline/operator-access.ts";
import type { PageCache } from "./pages/page-cache.ts";
import type { Phases } from "./pipeline/timing.ts";
import type { ReadyChecks } from "./lifecycle/readiness.ts";
import type { Listens } from "./lifecycle/settings.ts";
import type { Assets } from "./lifecycle/assets.ts";
import type { SubmitDefinition } from "./forms/submit.ts";
import type { Backend } from "./lifecycle/backend-types.ts";

export interface Services extends Backend {
  /** As its author knows it. */
  readonly app: App;
  readonly config: Config;
  readonly clock: Clock;
  /** Who wants to know what may show something else now. */
  readonly changes: ChangeFeed;
  /** What graphs did lately, in all processes. */
  readonly activity: ActivityLog;
  readonly site: Assets;
  /** Sign tokens and cookies, and seal sessions. */
  readonly secrets: Secrets;
  readonly sessions: Sessions;
  readonly actions: ReadonlyMap<string, AnyAction>;
  readonly submits: ReadonlyMap<string, SubmitDefinition>;
  readonly limits: Limits;
  readonly operatorAccess: OperatorAccess;
  readonly answers: IdempotencyStore;
  /** What waits to be done unless it is undone. */
  readonly deferred: DeferredOperations;
  readonly pageCache: PageCache;
  /** Whether answers are compressed here, and not by a proxy. */
  readonly hasCompression: boolean;
  readonly stylesheets: readonly string[];
  readonly icon: string | undefined;
  /** Whether pages take HTML from policies of scripts alone. */
  readonly hasTrustedTypes: boolean;
  /** Mark of the policy of a page, with the security options that the page has of its own. */
  readonly policyMarkOf: (own: OwnSecurityOptions | undefined) => string;
  /** Whether visitors may choose a theme. */
  readonly hasThemes: boolean;
  readonly startedMs: number;
  /** Origin on which this process itself can be reached; undefined without a socket. */
  readonly ownUrl: string | undefined;
  /** Where its own socket is. */
  readonly listens: Listens | undefined;
  /** Aborts when the app begins to close: open event streams end. */
  readonly closing: AbortSignal;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly phases: Phases;
  /** Those of the app's author, and of what has to be opened yet. */
  readonly readyChecks: ReadyChecks;
  /** Those of the app's author. */
  readonly ownMetrics: () => readonly Family[];
}

/** Where a group of endpoints is put. */
export interface Endpoints {
  readonly router: Router;
  readonly services: Services;
  /** The app's own middleware, for what the app's author may want to wrap. */
  readonly middleware: readonly Middleware[];
}

/** Ends with the client, and with the app. */
export function streamSignal(ctx: Context, services: Services): AbortSignal {
  const signal = AbortSignal.any([ctx.signal, services.closing]);
  setMaxListeners(Infinity, signal);
  return signal;
}
