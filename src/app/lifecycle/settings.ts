/** The effective settings for operators: every variable and the source of its value. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { DEFAULT_LIMITS as GRAPH_LIMITS } from "../../graphs/definition/value-limits.ts";
import { DEFAULT_LIMITS as CONNECTIONS } from "../../webhooks/delivery/delivery-queues.ts";
import { MAX_PAYLOAD_BYTES } from "../../webhooks/outbox/payload.ts";
import type { Config, Environment } from "./config.ts";
import { shownDatabaseUrl } from "./database-url.ts";
import type { AppOptions } from "../options.ts";

export interface Setting {
  /** Name of the variable: `SVC_RETENTION`. */
  name: string;
  /** Source: the start (`svc start --port`, `app.start({ port })`), the variable, an option of the app, or the default. */
  source: "start" | "environment" | "app" | "default";
  /** Effective value; null without one, and for secrets. */
  value: string | null;
  is_secret: boolean;
}

type Name = keyof typeof VARIABLES;

/** Where this process listens, and which parts the start set, which override variables. */
export interface Listens {
  host: string;
  port: number;
  asked: ReadonlySet<string>;
}

/**
 * Hidden, because they allow signing in, signing, or reading stored data. A database URL may contain a password, URLs of receivers a
 * token.
 */
const SECRETS: ReadonlySet<Name> = new Set([
  "secret",
  "previousSecrets",
  "payloadKeys",
  "awsAccessKeyId",
  "awsSecretAccessKey",
  "awsSessionToken",
  "webhookSecret",
  "execApiKey",
  "otlpHeaders",
  "webhookUrls",
] satisfies Name[]);

const IN_FORCE: Partial<Record<Name, (config: Config) => unknown>> = {
  host: ({ host }) => host,
  port: ({ port }) => port,
  socket: ({ socket }) => socket,
  nodeEnv: ({ isProduction }) => (isProduction ? "production" : undefined),
  dataDir: ({ dataDir }) => dataDir,
  databaseUrl: ({ databaseUrl }) => shownDatabaseUrl(databaseUrl),
  webhookAllowCidrs: ({ webhookAllowCidrs }) => webhookAllowCidrs.join(","),
  siteUrl: ({ siteOrigin }) => siteOrigin,
  allowedHosts: ({ allowedHosts }) => allowedHosts.join(","),
  rateActions: ({ actionsPerMinute }) => actionsPerMinute,
  rateSubmits: ({ submitsPerMinute }) => submitsPerMinute,
  rateFile: ({ rateFile }) => rateFile,
  bodyMemoryBytes: ({ bodyMemoryBytes }) => String(bodyMemoryBytes),
  retention: ({ retention }) => retention,
  graphInputBytes: ({ graphLimits }) => graphLimits.inputBytes ?? GRAPH_LIMITS.inputBytes,
  graphResultBytes: ({ graphLimits }) => graphLimits.resultBytes ?? GRAPH_LIMITS.resultBytes,
  graphEventBytes: ({ graphLimits }) => graphLimits.eventBytes ?? GRAPH_LIMITS.eventBytes,
  progressRate: ({ graphLimits }) => graphLimits.progressPerSecond ?? GRAPH_LIMITS.progressPerSecond,
  pauseGrace: ({ graphLimits }) => graphLimits.pauseGrace,
  graphConcurrency: ({ graphConcurrency }) => graphConcurrency,
  webhookPayloadBytes: ({ webhookPayloadBytes }) => webhookPayloadBytes ?? MAX_PAYLOAD_BYTES,
  webhookConnections: ({ webhookConnections }) => webhookConnections ?? CONNECTIONS.total,
  role: ({ role }) => role,
  workers: ({ workers }) => workers?.join(","),
  logLevel: ({ logLevel }) => logLevel,
  otlpEndpoint: ({ otlp }) => otlp?.url,
  serviceName: ({ otlp }) => otlp?.serviceName,
  samplerArg: ({ otlp }) => otlp?.ratio,
};

/** Options of the app that a variable overrides. */
const OF_APP: Partial<Record<Name, (app: AppOptions) => unknown>> = {
  retention: ({ graphRetention }) => graphRetention,
  graphInputBytes: ({ graphLimits }) => graphLimits?.inputBytes,
  graphResultBytes: ({ graphLimits }) => graphLimits?.resultBytes,
  graphEventBytes: ({ graphLimits }) => graphLimits?.eventBytes,
  progressRate: ({ graphLimits }) => graphLimits?.progressPerSecond,
  pauseGrace: ({ graphLimits }) => graphLimits?.pauseGrace,
  graphConcurrency: ({ graphConcurrency }) => graphConcurrency,
  webhookPayloadBytes: ({ webhookPayloadBytes }) => webhookPayloadBytes,
  webhookConnections: ({ webhookConnections }) => webhookConnections?.total,
};

/**
 * In documented order.
 * @param listens undefined: another server listens and passes requests on
 */
export function settingsOf(config: Config, env: Environment, app: AppOptions, listens?: Listens): Setting[] {
  return (Object.keys(VARIABLES) as Name[]).map((name) => {
    const given = env[VARIABLES[name]]?.trim() || undefined;
    const isSecret = SECRETS.has(name);
    const ofStart = name === "host" || name === "port" ? listens?.[name] : undefined;
    const ofApp = given === undefined ? OF_APP[name]?.(app) : undefined;
    const value = isSecret ? undefined : (ofStart ?? ofApp ?? IN_FORCE[name]?.(config) ?? given);
    return {
      name: VARIABLES[name],
      source: sourceOf(listens?.asked.has(name) === true, given, ofApp),
      value: value === undefined || value === "" ? null : String(value),
      is_secret: isSecret,
    };
  });
}

function sourceOf(isAsked: boolean, given: unknown, ofApp: unknown): Setting["source"] {
  if (isAsked) return "start";
  if (given !== undefined) return "environment";
  return ofApp === undefined ? "default" : "app";
}
