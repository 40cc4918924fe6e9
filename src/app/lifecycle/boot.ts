/** Composes the layers once: store, engine, webhooks, files. The order matters. */
import { existsSync } from "node:fs";
import { Sessions } from "../../platform/http/sessions/session-keys.ts";
import { clientName, type OnRefused } from "../../platform/security/rate-limits/rate-limit.ts";
import type { SiteRules } from "../../platform/security/site-rules.ts";
import { requireDiskSync } from "../../platform/security/require-runtime.ts";
import { policyMarks } from "../../platform/security/headers.ts";
import { loadOrCreateSecret, type Secrets } from "../../platform/security/secrets.ts";
import { durationMs, type Clock, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { isInMemory } from "../../storage/contract/database-url.ts";
import type { SessionRows } from "../../storage/contract/session-store.ts";
import type { App } from "../app-types.ts";
import { isAction, specOf, type AnyAction } from "../actions/action.ts";
import { withDiscovered, type DiscoveredAction } from "../actions/discovered-actions.ts";
import { IdempotencyStore } from "../actions/idempotency.ts";
import { isNeededAtBoot } from "./needs-backend.ts";
import { DeferredOperations } from "./deferred-operations.ts";
import { ChangeFeed } from "./change-feed.ts";
import { isShared } from "./config.ts";
import { undoDeferred } from "./drain.ts";
import { DatabaseSessions } from "./database-sessions.ts";
import { ActivityLog } from "../observability/activity.ts";
import type { SecurityLog } from "../observability/security-log.ts";
import { bucketChecks } from "./bucket-check.ts";
import { LazyBackend } from "./lazy-backend.ts";
import { Limits, openRateFile } from "../pipeline/rate-limits.ts";
import { OperatorAccess } from "../pipeline/operator-access.ts";
import { OperatorSessions } from "../pipeline/operator-sessions.ts";
import { keptOf } from "../pages/cached-page.ts";
import { followInvalidations } from "../pages/invalidate.ts";
import type { SessionOptions } from "../options.ts";
import { PageCache } from "../pages/page-cache.ts";
import { Phases } from "../pipeline/timing.ts";
import type { Services } from "../services.ts";
import type { Listens } from "./settings.ts";
import { loadAssets, type Assets } from "./assets.ts";
import { readSubmits } from "../forms/submit.ts";
import type { OpenBackendOptions } from "./backend.ts";
import type { Backend } from "./backend-types.ts";
import { checkDatabase } from "./database-check.ts";
import type { ReadyCheck } from "./readiness.ts";

/** Enough for some thousand pages. */
const PAGE_CACHE_BYTES = 64 * 1024 * 1024;
/** Covers a weekend. */
const SESSION_LIFETIME = "14d";
/** How often a visitor may have to sign in again. */
const SESSION_LONGEST_MS = durationMs("90d");
/** Name of the check, beside the app's own. */
const DATABASE_CHECK = "svc-database";

export interface BootOptions extends Omit<OpenBackendOptions, "pageCache" | "changes" | "build"> {
  /** The app itself. */
  self: App;
  siteRules: SiteRules;
  security: SecurityLog;
  /** Actions that the compiler found. */
  discovered: readonly DiscoveredAction[];
  /** Undefined without a socket of its own. */
  listens: Listens | undefined;
}

/** @throws SvcError `SVC_CONFIG`, `SVC_STORE`, `SVC_DEFINITION`; everything that was opened is closed again. */
export async function boot(options: BootOptions): Promise<Services> {
  const { config, clock, where, app } = options;
  const submits = readSubmits(app.submits ?? {});
  // Checked even if the backend opens later, because its first write would fail.
  if (!isShared(config) && !isInMemory(config.databaseUrl)) requireDiskSync();
  const site = loadAssets(where, config.exposes.unbuiltPages);
  const { actions: built, isUnbuilt } = await site.manifest();
  const called = site.dev || isUnbuilt ? undefined : built;
  const actions = readActions(withDiscovered(app.actions ?? {}, options.discovered, called));
  await requireActions(site, actions);
  const secrets: Secrets = [config.secret ?? loadOrCreateSecret(config.dataDir), ...config.previousSecrets];
  const pageCache = new PageCache({ maxBytes: app.pageCache?.bytes ?? PAGE_CACHE_BYTES, clock });
  followInvalidations(pageCache, options.closing);
  pageCache.seed(site.exported.map((page) => keptOf(page, clock.now())));
  const changes = new ChangeFeed();
  const file = await openRateFile(config);
  let backend: Backend | undefined;
  try {
    const { build } = await site.manifest();
    backend = await openNowOrLazily({ ...options, pageCache, changes, build });
    const { store, engine, webhooks, cluster, figures } = backend;
    const onRefused: OnRefused = (limit, clientIp, target) => {
      const client = clientName(clientIp);
      // Not an address: a limit over all clients.
      if (client !== undefined) options.metrics.refusedCallers.add(client, limit, target);
    };
    const operatorAccess = new OperatorAccess({ config, clock, link: site.dev?.operatorLink, onRefused });
    const services: Services = {
      app: options.self,
      config,
      siteRules: options.siteRules,
      clock,
      store,
      engine,
      webhooks,
      cluster,
      changes,
      figures,
      activity: keptActivity(options, backend),
      site,
      secrets,
      sessions: createSessions(app.session, { secrets, clock, rows: store.sessions }),
      actions,
      submits,
      limits: new Limits({ config, clock, actions, submits, file, shared: store.rates, onRefused }),
      operatorAccess,
      operatorSessions: new OperatorSessions({ rows: store.sessions, secrets, clock, access: operatorAccess }),
      pageCache,
      hasCompression: app.compress ?? true,
      answers: new IdempotencyStore({ store: store.answers, clock, log: options.log }),
      deferred: new DeferredOperations({ store: store.answers, clock, log: options.log }),
      stylesheets: app.stylesheets ?? [],
      hasImportedStyles: true,
      icon: app.icon,
      fallback: requireFallback(app.fallback, where.dist !== undefined && !site.dev, site),
      prefetch: app.prefetch ?? "intent",
      hasTrustedTypes: Boolean(app.security?.trustedTypes),
      policyMarkOf: policyMarks({ ...app.security, ...(site.dev && { trustedTypes: false }) }),
      hasThemes: app.themes === true,
      startedMs: clock.now(),
      ownUrl: where.url,
      listens: options.listens,
      closing: options.closing,
      log: options.log,
      security: options.security,
      metrics: options.metrics,
      phases: new Phases(options.tracer !== undefined || site.dev !== undefined),
      readyChecks: { ...app.ready, [DATABASE_CHECK]: checkOf(backend), ...bucketChecks(config) },
      ownMetrics: app.metrics ?? (() => []),
    };
    services.limits.serve(services);
    return services;
  } catch (error) {
    if (backend) await undoDeferred(backend, options.log);
    file?.close();
    throw error;
  }
}

function checkOf(backend: Backend): ReadyCheck {
  return backend instanceof LazyBackend ? backend.check : () => checkDatabase(backend.store);
}

/** Opens the backend if there may be work to resume or an error to report, else on first use. */
function openNowOrLazily(options: OpenBackendOptions): Promise<Backend> | Backend {
  const { app, config, log } = options;
  const open = async (): Promise<Backend> => (await import("./backend.ts")).openBackend(options);
  if (isNeededAtBoot(app, config, existsSync)) return open();
  return new LazyBackend({
    open,
    onOpen: () => log.debug({}, "Opened the database at the first use of graphs, webhooks or the database"),
  });
}

function keptActivity({ config, clock, log, metrics }: BootOptions, { store, engine }: Backend): ActivityLog {
  const activity = new ActivityLog({
    rows: store.activity,
    recent: metrics.recent,
    clock,
    log,
    queueReports: () => engine.queueReports(),
    isShared: isShared(config),
  });
  metrics.onRecent = () => activity.changed();
  // Runs that were resumed at once were counted before.
  activity.changed();
  return activity;
}

/** @throws SvcError `SVC_CONFIG` for an invalid lifetime */
function createSessions(
  { lifetime = SESSION_LIFETIME, longest, store: given }: SessionOptions = {},
  { secrets, clock, rows }: { secrets: Secrets; clock: Clock; rows: SessionRows },
): Sessions {
  const store = given === "database" ? new DatabaseSessions(rows, clock) : given;
  const lifetimeMs = lifeOf("lifetime", lifetime);
  const longestMs = longest === undefined ? Math.max(SESSION_LONGEST_MS, lifetimeMs) : lifeOf("longest", longest);
  return new Sessions({ secrets, clock, lifetimeMs, longestMs, store });
}

function lifeOf(option: keyof SessionOptions, given: Duration): number {
  const ms = durationMs(given);
  if (ms >= 1000) return ms;
  throw new SvcError(
    "SVC_CONFIG",
    `session.${option} is ${JSON.stringify(given)}; it must be at least 1 second, such as "14d"`,
  );
}

function readActions(given: Readonly<Record<string, AnyAction>>): Map<string, AnyAction> {
  const actions = new Map(Object.entries(given));
  for (const [name, value] of actions) {
    if (!isAction(value)) {
      throw new SvcError("SVC_DEFINITION", `actions.${name} is not an action; create it with action(…) from "svckit"`);
    }
  }
  return actions;
}

/** Finds calls of browser code to unknown or different actions at the start, before a visitor does. */
async function requireActions(site: Assets, actions: ReadonlyMap<string, AnyAction>): Promise<void> {
  const manifest = await site.manifest();
  const missing = manifest.actions.filter((name) => !actions.has(name));
  if (missing.length > 0) {
    throw new SvcError(
      "SVC_DEFINITION",
      `Browser code calls ${missing.join(", ")}, but createApp does not have ${missing.length === 1 ? "it" : "them"}: ` +
        `add createApp({ actions: { ${missing.join(", ")} } })`,
    );
  }
  const unlike = manifest.actions.find((name) => {
    const target = actions.get(name);
    return target && specOf(target).isStream !== (manifest.streams ?? []).includes(name);
  });
  if (unlike === undefined) return;
  throw new SvcError(
    "SVC_DEFINITION",
    `The action "${unlike}" in createApp differs from the one that browser code calls: only one of them streams.  ` +
      "Define it with action(async function* (…) { … }) in the file that browser code imports, and pass that action to createApp",
  );
}

/** @param isBuilt whether all public files exist now; under `svc dev` they may come later. @throws SvcError `SVC_CONFIG` */
function requireFallback(fallback: string | undefined, isBuilt: boolean, site: Assets): string | undefined {
  if (fallback === undefined || (fallback.startsWith("/") && (!isBuilt || site.publicFile(fallback.slice(1)))))
    return fallback;
  throw new SvcError(
    "SVC_CONFIG",
    `fallback is "${fallback}", but public/ had no such file at the build; it must be the path of a public file, such as "/index.html"`,
  );
}
