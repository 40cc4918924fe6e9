/**
 * Whether an app has its database, its graphs and its webhooks from its boot on, or with the first that asks for them: decided by what
 * the app and its environment say. An app that says nothing of any of them, and has no database yet, has nothing to take up,
 * nothing to deliver and nothing to refuse; to have them nevertheless would take a quarter of its start (decision 066).
 */
import { isInMemory } from "../../storage/contract/database-url.ts";
import { defaultFile, type Config } from "./config.ts";
import type { AppOptions } from "../options.ts";

/** Whether an option tells of graphs, of webhooks or of what is kept: each has to be judged here before the compiler lets it pass. */
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
  // Where it is "database": told apart below.
  session: false,
  pageCache: false,
  timeouts: false,
  security: false,
  // Its button is the first that asks.
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

/** As `OPTIONS`, of variables. */
const SETTINGS: Readonly<Record<keyof Config, boolean>> = {
  webhookUrls: true,
  webhookSecret: true,
  webhookAllowCidrs: true,
  webhookPayloadBytes: true,
  webhookConnections: true,
  retention: true,
  graphLimits: true,
  graphConcurrency: true,
  // Whoever has it looks at graphs and at figures, which must not change by being looked at.
  execApiKey: true,
  host: false,
  port: false,
  isPortFixed: false,
  isProduction: false,
  exposes: false,
  dataDir: false,
  // Told apart below.
  databaseUrl: false,
  secret: false,
  previousSecrets: false,
  trustedProxies: false,
  siteOrigin: false,
  actionsPerMinute: false,
  submitsPerMinute: false,
  rateFile: false,
  bodyMemoryBytes: false,
  // These two are refused without a database that processes share.
  role: false,
  workers: false,
  logLevel: false,
  otlp: false,
};

/** @param exists whether there is a file by this path */
export function isNeededAtBoot(app: AppOptions, config: Config, exists: (file: string) => boolean): boolean {
  if (saysAny(OPTIONS, app) || saysAny(SETTINGS, config) || app.session?.store === "database") return true;
  const { databaseUrl, dataDir } = config;
  if (isInMemory(databaseUrl)) return false;
  const file = defaultFile(dataDir);
  // Who has named a database hears at the start that it can't be opened. What is in one is to be gone on with.
  return databaseUrl !== `sqlite:${file}` || exists(file);
}

function saysAny<Given extends object>(judged: Readonly<Record<keyof Given, boolean>>, given: Given): boolean {
  return (Object.keys(judged) as (keyof Given)[]).some((name) => judged[name] && saysSomething(given[name]));
}

/** No entries in a list, and none set of several settings, say nothing. */
function saysSomething(value: unknown): boolean {
  if (value === undefined) return false;
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}
