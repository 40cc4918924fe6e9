/**
 * Whether an app opens its backend at the boot or on first use, by its options and variables. An app that sets nothing about it, and has
 * no database yet, has no work to resume and no error to report; opening it would take a quarter of its start (decision 066).
 */
import { isInMemory } from "../../storage/contract/database-url.ts";
import { defaultFile, type BackendConfig, type Config } from "./config.ts";
import type { AppOptions, BackendOptions } from "../options.ts";

/** The compiler requires every name of the group, so a new option cannot be forgotten. */
const OPTIONS: Readonly<Record<keyof BackendOptions, true>> = {
  workers: true,
  graphs: true,
  schedules: true,
  events: true,
  eventRetention: true,
  graphConcurrency: true,
  tools: true,
  graphRetention: true,
  graphLimits: true,
  webhookSchedule: true,
  webhookPayloadBytes: true,
  webhookConnections: true,
  onWebhookDisabled: true,
};

/** As `OPTIONS`, for variables. */
const VARIABLES: Readonly<Record<keyof BackendConfig, true>> = {
  webhookUrls: true,
  webhookSecret: true,
  webhookAllowCidrs: true,
  webhookPayloadBytes: true,
  webhookConnections: true,
  retention: true,
  graphLimits: true,
  graphConcurrency: true,
  execApiKey: true,
};

/** @param exists whether a file exists */
export function isNeededAtBoot(app: AppOptions, config: Config, exists: (file: string) => boolean): boolean {
  if (
    setsAny<BackendOptions>(OPTIONS, app) ||
    setsAny<BackendConfig>(VARIABLES, config) ||
    app.session?.store === "database"
  )
    return true;
  const { databaseUrl, dataDir } = config;
  if (isInMemory(databaseUrl)) return false;
  const file = defaultFile(dataDir);
  // An app that names a database must fail at the start if it can't be opened. An existing one may have work.
  return databaseUrl !== `sqlite:${file}` || exists(file);
}

function setsAny<Group extends object>(names: Readonly<Record<keyof Group, true>>, given: Group): boolean {
  return (Object.keys(names) as (keyof Group)[]).some((name) => isSet(given[name]));
}

/** An empty list or object sets nothing. */
function isSet(value: unknown): boolean {
  if (value === undefined) return false;
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}
