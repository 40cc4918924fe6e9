/**
 * The configuration variables (docs/guide/running.md): read once and validated together. A pure function of an environment; an invalid
 * value stops the boot with one message that lists all problems.
 */
import { BODY_MEMORY_BYTES } from "../../platform/http/body/body-budget.ts";
import { EVENT_BYTES, PROGRESS_RATE, VALUE_BYTES, type GraphLimits } from "../../graphs/definition/value-limits.ts";
import { CidrSet, parseCidr } from "../../platform/security/ssrf/cidr.ts";
import { exposureOf, MODES, type Exposure } from "../../platform/security/exposure.ts";
import { MIN_SECRET_LENGTH } from "../../platform/security/secrets.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../../platform/shared/log.ts";
import { RETIRED_VARIABLES, VARIABLES } from "../../platform/shared/wire.ts";
import { databaseUrlProblem } from "../../storage/contract/database-url.ts";
import { readBucketUrl, type BucketConfig } from "../../storage/bucket/bucket-url.ts";
import { readPayloadKeys, type PayloadKey } from "../../storage/encryption/payload-keys.ts";
import { PAYLOAD_BYTES } from "../../webhooks/outbox/payload.ts";
import { MOST_CONNECTIONS } from "../../webhooks/delivery/delivery-queues.ts";

/** Variables as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of graphs and webhooks. An app that sets one opens its database when it boots, otherwise on first use. */
export interface BackendConfig {
  webhookUrls: readonly string[];
  webhookSecret: string | undefined;
  /** Undefined: the operator endpoints are closed. They read stored runs, and reading must not open the database. */
  execApiKey: string | undefined;
  webhookAllowCidrs: readonly string[];
  /** Time to keep finished runs; undefined: forever. */
  retention: Duration | undefined;
  /** Set limits of graphs; the app's options or defaults apply to the rest. */
  graphLimits: GraphLimits;
  /** Limit of concurrent attempts of all workers; undefined: the app's option. */
  graphConcurrency: number | undefined;
  /** Largest delivery body with its result; undefined: the app's option. */
  webhookPayloadBytes: number | undefined;
  /** Limit of connections to receivers; undefined: the app's option. */
  webhookConnections: number | undefined;
}

export interface Config extends BackendConfig {
  host: string;
  port: number;
  /** Whether PORT was set: a used port is an error then, instead of trying the next one. */
  isPortFixed: boolean;
  /** Path of a Unix socket, which replaces host and port. */
  socket: string | undefined;
  isProduction: boolean;
  /** What everybody can see in this mode. */
  exposes: Exposure;
  dataDir: string;
  databaseUrl: string;
  /** Undefined: the secret in the data directory. */
  secret: string | undefined;
  /** Secrets from before `secret`, still valid for verification. */
  previousSecrets: readonly string[];
  /** Keys that encrypt payloads in the database: the first one encrypts, all of them decrypt. Empty: payloads are stored as they are. */
  payloadKeys: readonly PayloadKey[];
  /** Bucket for large payloads; undefined: all of them are in the database. */
  payloadBucket: BucketConfig | undefined;
  trustedProxies: CidrSet;
  /** Origin without a final slash. */
  siteOrigin: string | undefined;
  /** Hosts for which the app answers, besides that of `siteOrigin`: `shop.example`, `shop.example:8080`, `*.shop.example`. */
  allowedHosts: readonly string[];
  actionsPerMinute: number;
  submitsPerMinute: number;
  /** File in which all processes of this machine count calls; undefined: each counts in memory. */
  rateFile: string | undefined;
  /** Memory limit for all request bodies together. */
  bodyMemoryBytes: number;
  /** Role of this process in a cluster: serve, run graphs and deliver webhooks, or both. */
  role: Role;
  /** Names of the workers whose nodes it runs; undefined: all. */
  workers: readonly string[] | undefined;
  logLevel: LogLevel;
  /** Target of traces; undefined: none. */
  otlp: OtlpConfig | undefined;
}

export interface OtlpConfig {
  /** Full URL: `http://127.0.0.1:4318/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Share of new traces to record, 0 to 1. */
  ratio: number;
}

/**
 * The variables of an app: its own if it has some, but NODE_ENV is the process's by default, so `svc start` decides the mode of every
 * app.
 */
export function environmentOf(own: Environment | undefined): Environment {
  if (own === undefined) return process.env;
  return { ...own, [VARIABLES.nodeEnv]: own[VARIABLES.nodeEnv] || process.env[VARIABLES.nodeEnv] };
}

type VariableName = keyof typeof VARIABLES;

const ROLES = ["all", "web", "worker"] as const;
export type Role = (typeof ROLES)[number];

/** A megabyte is one body of the default limit; above a gigabyte there is no limit in effect. */
const BODY_MEMORY = { min: 1024 ** 2, max: 1024 ** 3 };
/** Shorter operator keys can be guessed in spite of rate limits. */
const MIN_KEY_LENGTH = 16;
const MAX_RATE = 1_000_000;
/** Each running attempt takes memory. */
const MAX_CONCURRENCY = 100_000;
const BYTES = { "": 1, KiB: 1024, MiB: 1024 ** 2 } as const;

type Text = (name: VariableName) => string | undefined;
type Read = <Value>(name: VariableName, fallback: Value, parse: (text: string) => Value) => Value;

/**
 * Public URL of the site; if it is not set, the address on which the app listens, in development or if `canGuess` allows it.
 * @param ownUrl that address, once it is known. @throws SvcError `SVC_CONFIG`
 */
export function siteUrlOf(
  { siteOrigin, isProduction, port }: Config,
  ownUrl?: string,
  canGuess = !isProduction,
): string {
  if (siteOrigin !== undefined) return siteOrigin;
  if (canGuess) return ownUrl === undefined ? `http://localhost:${port}` : new URL(ownUrl).origin;
  throw new SvcError(
    "SVC_CONFIG",
    `${VARIABLES.siteUrl} is not set, but sitemaps and links in mail need it. Set it to the public URL of the site, such as https://example.com`,
  );
}

/** @throws SvcError `SVC_CONFIG` that lists all problems. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const text: Text = (name) => env[VARIABLES[name]]?.trim() || undefined;
  const read: Read = (name, fallback, parse) => {
    const given = text(name);
    if (given === undefined) return fallback;
    try {
      return parse(given);
    } catch (error) {
      problems.push(`${VARIABLES[name]} ${(error as Error).message}`);
      return fallback;
    }
  };
  const dataDir = text("dataDir") ?? ".svc";
  const mode = read("nodeEnv", "development", (given) => readOneOf(given, MODES));
  const config: Config = {
    host: text("host") ?? "127.0.0.1",
    port: read("port", 3000, (given) => readWhole(given, 0, 65_535)),
    isPortFixed: text("port") !== undefined,
    socket: read("socket", undefined, readSocketPath),
    isProduction: mode === "production",
    exposes: exposureOf(mode),
    dataDir,
    databaseUrl: read("databaseUrl", `sqlite:${defaultFile(dataDir)}`, readDatabaseUrl),
    secret: read("secret", undefined, readSecret),
    previousSecrets: read("previousSecrets", [], (given) => readList(given).map(readSecret)),
    payloadKeys: read("payloadKeys", [], readPayloadKeys),
    payloadBucket: readBucket(read, text, problems),
    trustedProxies: new CidrSet(read("trustProxy", [], readCidrs)),
    siteOrigin: read("siteUrl", undefined, readOrigin),
    allowedHosts: read("allowedHosts", [], (given) => readList(given).map(readHost)),
    actionsPerMinute: read("rateActions", 120, (given) => readWhole(given, 1, MAX_RATE)),
    rateFile: text("rateFile"),
    bodyMemoryBytes: read("bodyMemoryBytes", BODY_MEMORY_BYTES, (given) => readBytes(given, BODY_MEMORY)),
    submitsPerMinute: read("rateSubmits", 60, (given) => readWhole(given, 1, MAX_RATE)),
    ...readBackendConfig(read, text),
    otlp: readOtlp(read, text),
    role: read("role", "all", (given) => readOneOf(given, ROLES)),
    workers: read("workers", undefined, readList),
    logLevel: read("logLevel", "info", (given) => readOneOf(given, LOG_LEVELS)),
  };
  problems.push(...problemsOfMany(config));
  if (problems.length > 0) throw new SvcError("SVC_CONFIG", configMessage(problems));
  return config;
}

/** Credentials and region have the names that all tools for S3 use. */
function readBucket(read: Read, text: Text, problems: string[]): BucketConfig | undefined {
  const place = read("payloadBucket", undefined, readBucketUrl);
  if (!place) return undefined;
  const [accessKeyId, secretAccessKey] = [text("awsAccessKeyId"), text("awsSecretAccessKey")];
  const region = place.region ?? text("awsRegion");
  const missing = [
    ...(accessKeyId === undefined ? [VARIABLES.awsAccessKeyId] : []),
    ...(secretAccessKey === undefined ? [VARIABLES.awsSecretAccessKey] : []),
    ...(region === undefined ? [VARIABLES.awsRegion] : []),
  ];
  problems.push(...missing.map((name) => `${name} is not set, but ${VARIABLES.payloadBucket} needs it`));
  if (accessKeyId === undefined || secretAccessKey === undefined || region === undefined) return undefined;
  return { ...place, region, accessKeyId, secretAccessKey, sessionToken: text("awsSessionToken") };
}

function readBackendConfig(read: Read, text: Text): BackendConfig {
  return {
    webhookUrls: readList(text("webhookUrls")),
    webhookSecret: text("webhookSecret"),
    execApiKey: read("execApiKey", undefined, readKey),
    webhookAllowCidrs: read("webhookAllowCidrs", [], readCidrs),
    retention: read("retention", undefined, readSpan),
    graphLimits: readGraphLimits(read),
    graphConcurrency: read("graphConcurrency", undefined, (given) => readWhole(given, 1, MAX_CONCURRENCY)),
    webhookPayloadBytes: read("webhookPayloadBytes", undefined, (given) => readBytes(given, PAYLOAD_BYTES)),
    webhookConnections: read("webhookConnections", undefined, (given) => readWhole(given, 1, MOST_CONNECTIONS)),
  };
}

/** @returns a warning for each variable that has no effect in this version */
export function retiredVariables(env: Environment): string[] {
  return Object.entries(RETIRED_VARIABLES)
    .filter(([name]) => env[name]?.trim())
    .map(([name, reason]) => `${name} is set, but svc no longer supports it: ${reason}. Remove the variable`);
}

/** Default database file of an app. */
export function defaultFile(dataDir: string): string {
  return `${dataDir}/svc.db`;
}

export function isShared({ databaseUrl }: Pick<Config, "databaseUrl">): boolean {
  return /^postgres(ql)?:/.test(databaseUrl);
}

/** Settings that a single process allows, and a cluster does not. */
function problemsOfMany(config: Config): string[] {
  const { isProduction, secret, role, workers } = config;
  if (isShared(config)) {
    if (secret !== undefined || !isProduction) return [];
    return [
      `${VARIABLES.secret} is not set, but processes that share a database need the same secret. Create one with "openssl rand -hex 32"`,
    ];
  }
  const what = [...(role === "all" ? [] : [VARIABLES.role]), ...(workers === undefined ? [] : [VARIABLES.workers])];
  return what.map(
    (name) => `${name} only applies to processes that share a database: set ${VARIABLES.databaseUrl} to postgres://…`,
  );
}

function configMessage(problems: readonly string[]): string {
  const count = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`;
  return `${count} invalid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`;
}

function readWhole(given: string, min: number, max: number): number {
  const value = /^\d{1,7}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`is "${given}"; it must be a whole number from ${min} to ${max}`);
}

function readDatabaseUrl(given: string): string {
  const problem = databaseUrlProblem(given);
  if (problem === undefined) return given;
  throw new Error(problem);
}

/** Only what is set; the app's options decide the rest. */
function readGraphLimits(read: Read): GraphLimits {
  const limits = {
    inputBytes: read("graphInputBytes", undefined, (given) => readBytes(given, VALUE_BYTES)),
    resultBytes: read("graphResultBytes", undefined, (given) => readBytes(given, VALUE_BYTES)),
    eventBytes: read("graphEventBytes", undefined, (given) => readBytes(given, EVENT_BYTES)),
    progressPerSecond: read("progressRate", undefined, (given) =>
      readWhole(given, PROGRESS_RATE.min, PROGRESS_RATE.max),
    ),
    pauseGrace: read("pauseGrace", undefined, readTime),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** `65536`, `64KiB`, `16MiB` */
function readBytes(given: string, { min, max }: { min: number; max: number }): number {
  const [, digits, unit = ""] = /^(\d{1,10}) ?(KiB|MiB)?$/.exec(given) ?? [];
  const value = digits === undefined ? Number.NaN : Number(digits) * BYTES[unit as keyof typeof BYTES];
  if (value >= min && value <= max) return value;
  throw new Error(
    `is "${given}"; it must be a number of bytes from ${min} to ${max}, such as ${min * 4}, 256KiB or 2MiB`,
  );
}

function readTime(given: string): Duration {
  try {
    durationMs(given);
    return given;
  } catch {
    throw new Error(`is "${given}"; it must be a duration such as 30s or 5m`);
  }
}

function readSpan(given: string): Duration {
  try {
    if (durationMs(given) >= 1000) return given;
  } catch {
    // The error below lists the allowed values.
  }
  throw new Error(`is "${given}"; it must be a duration of at least 1 second, such as 30d or 12h`);
}

function readOneOf<Value extends string>(given: string, allowed: readonly Value[]): Value {
  const found = allowed.find((value) => value === given);
  if (found !== undefined) return found;
  throw new Error(`is "${given}"; it must be one of ${allowed.join(", ")}`);
}

/** Messages never contain the value. */
function readSecret(given: string): string {
  // A comma separates previous secrets.
  if (given.includes(",")) throw new Error("contains a comma; use 64 random hex digits");
  if (given.length >= MIN_SECRET_LENGTH) return given;
  throw new Error(
    `is too short: ${given.length} ${given.length === 1 ? "character" : "characters"}, at least ${MIN_SECRET_LENGTH} required; use 64 random hex digits`,
  );
}

/** Messages never contain the value. A key with a space could not be sent as a bearer token (RFC 6750). */
function readKey(given: string): string {
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new Error("contains a space or a character outside of visible ASCII, so it can't be sent as a bearer token");
  if (given.length >= MIN_KEY_LENGTH) return given;
  throw new Error(
    `is too short: ${given.length} ${given.length === 1 ? "character" : "characters"}, at least ${MIN_KEY_LENGTH} required; create one with "openssl rand -hex 16"`,
  );
}

function readList(given: string | undefined): string[] {
  return (given ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function readCidrs(given: string): string[] {
  const ranges = readList(given);
  for (const range of ranges) parseCidr(range);
  return ranges;
}

function readOrigin(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "" && url.hash === "";
  if (url && isOrigin && url.username === "" && url.password === "") return url.origin;
  throw new Error(`must be an http or https origin without path or credentials, such as https://shop.example`);
}

/** The address of a Unix socket has 108 bytes, of which the last is 0. */
const MAX_SOCKET_PATH = 107;

function readSocketPath(given: string): string {
  const bytes = Buffer.byteLength(given);
  if (bytes <= MAX_SOCKET_PATH) return given;
  throw new Error(`has ${bytes} bytes, but the path of a Unix socket has at most ${MAX_SOCKET_PATH}`);
}

/** `*.` in front stands for every name below. */
function readHost(given: string): string {
  const [, wildcard = "", host = ""] = /^(\*\.)?([^/?#@*]+)$/.exec(given) ?? [];
  if (host !== "" && URL.canParse(`http://${host}`)) return wildcard + new URL(`http://${host}`).host;
  throw new Error(
    `contains "${given}"; each entry must be a host without a scheme, such as shop.example, shop.example:8080 or *.shop.example`,
  );
}

/** The variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/protocol/exporter/) that traces need. */
function readOtlp(read: Read, text: Text): OtlpConfig | undefined {
  const url = read("otlpEndpoint", undefined, readEndpoint);
  const headers = read("otlpHeaders", {}, readHeaders);
  const ratio = read("samplerArg", 1, readRatio);
  return url === undefined ? undefined : { url, headers, ratio, serviceName: text("serviceName") ?? "svc" };
}

/** The endpoint is for all signals; traces have a path below it. */
function readEndpoint(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new Error(`must be an http or https URL without a query, such as http://127.0.0.1:4318`);
  if (url.username !== "" || url.password !== "")
    throw new Error(`contains credentials; put them into ${VARIABLES.otlpHeaders}`);
  return `${url.href.replace(/\/$/, "")}/v1/traces`;
}

/** `name=value,name=value`, percent-encoded. Messages contain no value, because they are keys. */
function readHeaders(given: string): Record<string, string> {
  const pairs = readList(given).map((pair) => {
    const [, name, value] = /^([\w-]+)\s*=\s*([\x21-\x7e ]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new Error("must be name=value pairs, separated by commas");
    return [name.toLowerCase(), decodeURIComponent(value)] as const;
  });
  return Object.fromEntries(pairs);
}

function readRatio(given: string): number {
  const value = Number(given);
  if (value >= 0 && value <= 1) return value;
  throw new Error(`is "${given}"; it must be a number from 0 to 1`);
}
