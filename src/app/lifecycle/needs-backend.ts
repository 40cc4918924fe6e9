/**
 * Whether an app opens its backend at the boot or on first use, by its options and variables. An app that sets nothing about it, and has
 * no database yet, has no work to resume and no error to report; opening it would take a quarter of its start (decision 066).
 */
import { isInMemory } from "../../storage/contract/database-url.ts";
import { defaultFile, type Config } from "./config.ts";
import type { AppOptions } from "../options.ts";

/** Whether an option concerns graphs, webhooks or stored data. The compiler requires an entry for each option. */
const OPTIONS: Readonly<Record<keyof AppOptions, boolean>> = {
  workers: true,
  graphs: true,
  schedules: true,
  graphConcurrency: true,
  tools: true,
  graphRetention: true,
  graphLimits: true,
  webhookSchedule: true,
  webhookPayloadBytes: true,
  webhookConnections: true,
  onWebhookDisabled: true,
  pages: false,
  routes: false,
  notFound: false,
  extensions: false,
  actions: false,
  submits: false,
  stylesheets: false,
  icon: false,
  themes: false,
  middleware: false,
  compress: false,
  // "database" is checked below.
  session: false,
  pageCache: false,
  timeouts: false,
  security: false,
  // Its button is the first use.
  demo: false,
  env: false,
  clock: false,
  log: false,
  accessLog: false,
  metrics: false,
  ready: false,
  onBoot: false,
  drain: false,
};

/** As `OPTIONS`, for variables. */
const SETTINGS: Readonly<Record<keyof Config, boolean>> = {
  webhookUrls: true,
  webhookSecret: true,
  webhookAllowCidrs: true,
  webhookPayloadBytes: true,
  webhookConnections: true,
  retention: true,
  graphLimits: true,
  graphConcurrency: true,
  // Its owner reads runs and metrics, which must not change by reading.
  execApiKey: true,
  host: false,
  port: false,
  isPortFixed: false,
  isProduction: false,
  exposes: false,
  dataDir: false,
  // Checked below.
  databaseUrl: false,
  secret: false,
  previousSecrets: false,
  trustedProxies: false,
  siteOrigin: false,
  actionsPerMinute: false,
  submitsPerMinute: false,
  rateFile: false,
  bodyMemoryBytes: false,
  // Refused without a shared database.
  role: false,
  workers: false,
  logLevel: false,
  otlp: false,
};

/** @param exists whether a file exists */
export function isNeededAtBoot(app: AppOptions, config: Config, exists: (file: string) => boolean): boolean {
  if (saysAny(OPTIONS, app) || saysAny(SETTINGS, config) || app.session?.store === "database") return true;
  const { databaseUrl, dataDir } = config;
  if (isInMemory(databaseUrl)) return false;
  const file = defaultFile(dataDir);
  // An app that names a database must fail at the start if it can't be opened. An existing one may have work.
  return databaseUrl !== `sqlite:${file}` || exists(file);
}

function saysAny<Given extends object>(judged: Readonly<Record<keyof Given, boolean>>, given: Given): boolean {
  return (Object.keys(judged) as (keyof Given)[]).some((name) => judged[name] && saysSomething(given[name]));
}

/** An empty list or object sets nothing. */
function saysSomething(value: unknown): boolean {
  if (value === undefined) return false;
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}
