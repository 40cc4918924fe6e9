/**
 * The configuration variables of contract section 2: read once, validated together. A pure function of an environment;
 * a bad value stops the boot with one message that lists every problem.
 */
import { BODY_MEMORY_BYTES } from "../../platform/http/body/body-budget.ts";
import { EVENT_BYTES, PROGRESS_RATE, VALUE_BYTES, type GraphLimits } from "../../graphs/definition/value-limits.ts";
import { CidrSet, parseCidr } from "../../platform/security/cidr.ts";
import { exposureOf, MODES, type Exposure } from "../../platform/security/exposure.ts";
import { MIN_SECRET_LENGTH } from "../../platform/security/secrets.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../../platform/shared/log.ts";
import { RETIRED_VARIABLES, VARIABLES } from "../../platform/shared/wire.ts";
import { databaseUrlProblem } from "../../storage/contract/database-url.ts";
import { PAYLOAD_BYTES } from "../../webhooks/outbox/payload.ts";
import { MOST_CONNECTIONS } from "../../webhooks/delivery/delivery-queues.ts";

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  host: string;
  port: number;
  /** Whether PORT was set: then a taken port is an error instead of a reason to try the next one. */
  isPortFixed: boolean;
  isProduction: boolean;
  /** What everybody can see in this mode. */
  exposes: Exposure;
  dataDir: string;
  databaseUrl: string;
  /** Undefined: the one kept in the data directory. */
  secret: string | undefined;
  /** Verify what they signed before `secret` took their place. */
  previousSecrets: readonly string[];
  webhookUrls: readonly string[];
  webhookSecret: string | undefined;
  /** Undefined: the operator endpoints are closed. */
  execApiKey: string | undefined;
  webhookAllowCidrs: readonly string[];
  trustedProxies: CidrSet;
  /** Origin without a slash at its end. */
  siteOrigin: string | undefined;
  actionsPerMinute: number;
  submitsPerMinute: number;
  /** Where calls are counted by all processes of this machine; undefined: by each in memory. */
  rateFile: string | undefined;
  /** What all request bodies may take of memory at a time. */
  bodyMemoryBytes: number;
  /** How long graphs are kept once they have finished; undefined: for ever. */
  retention: Duration | undefined;
  /** What is set of the limits of graphs; the app's, or the defaults, hold for the rest. */
  graphLimits: GraphLimits;
  /** Attempts of all workers at once; undefined: as the app says. */
  graphConcurrency: number | undefined;
  /** Largest body of a delivery that carries its result; undefined: as the app says. */
  webhookPayloadBytes: number | undefined;
  /** Connections to receivers in all; undefined: as the app says. */
  webhookConnections: number | undefined;
  /** What this process does, where several share a PostgreSQL database: serve, run graphs and deliver webhooks, or both. */
  role: Role;
  /** Names of the workers whose nodes it runs; undefined: all. */
  workers: readonly string[] | undefined;
  logLevel: LogLevel;
  /** Where traces go; undefined: nowhere. */
  otlp: OtlpConfig | undefined;
}

export interface OtlpConfig {
  /** Whole address: `http://127.0.0.1:4318/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Share of the traces beginning here that are recorded, 0 to 1. */
  ratio: number;
}

/**
 * The variables that an app reads: its own where it brings some, but NODE_ENV is the process's unless it says otherwise. So `svc start`
 * decides the mode of every app.
 */
export function environmentOf(own: Environment | undefined): Environment {
  if (own === undefined) return process.env;
  return { ...own, [VARIABLES.nodeEnv]: own[VARIABLES.nodeEnv] || process.env[VARIABLES.nodeEnv] };
}

type VariableName = keyof typeof VARIABLES;

const ROLES = ["all", "web", "worker"] as const;
export type Role = (typeof ROLES)[number];

/** A megabyte is one body of the default limit; beyond a gigabyte nothing is limited in effect. */
const BODY_MEMORY = { min: 1024 ** 2, max: 1024 ** 3 };
/** Shorter operator keys can be guessed, whatever limits their guesses. */
const MIN_KEY_LENGTH = 16;
const MAX_RATE = 1_000_000;
/** Attempts that are all under way take memory each. */
const MAX_CONCURRENCY = 100_000;
const BYTES = { "": 1, KiB: 1024, MiB: 1024 ** 2 } as const;

type Text = (name: VariableName) => string | undefined;
type Read = <Value>(name: VariableName, fallback: Value, parse: (text: string) => Value) => Value;

/**
 * Where visitors reach the site; where that is not set, the address that the app listens on, in development or where
 * `canGuess` allows it.
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
    `${VARIABLES.siteUrl} is not set, and what leaves the site needs it: sitemaps, links in mail. Set it to where visitors reach the site, such as https://example.com`,
  );
}

/** @throws SvcError `SVC_CONFIG` listing every problem. */
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
    isProduction: mode === "production",
    exposes: exposureOf(mode),
    dataDir,
    databaseUrl: read("databaseUrl", `sqlite:${defaultFile(dataDir)}`, readDatabaseUrl),
    secret: read("secret", undefined, readSecret),
    previousSecrets: read("previousSecrets", [], (given) => readList(given).map(readSecret)),
    webhookUrls: readList(text("webhookUrls")),
    webhookSecret: text("webhookSecret"),
    execApiKey: read("execApiKey", undefined, readKey),
    webhookAllowCidrs: read("webhookAllowCidrs", [], readCidrs),
    trustedProxies: new CidrSet(read("trustProxy", [], readCidrs)),
    siteOrigin: read("siteUrl", undefined, readOrigin),
    actionsPerMinute: read("rateActions", 120, (given) => readWhole(given, 1, MAX_RATE)),
    rateFile: text("rateFile"),
    bodyMemoryBytes: read("bodyMemoryBytes", BODY_MEMORY_BYTES, (given) => readBytes(given, BODY_MEMORY)),
    retention: read("retention", undefined, readSpan),
    graphLimits: readGraphLimits(read),
    graphConcurrency: read("graphConcurrency", undefined, (given) => readWhole(given, 1, MAX_CONCURRENCY)),
    webhookPayloadBytes: read("webhookPayloadBytes", undefined, (given) => readBytes(given, PAYLOAD_BYTES)),
    webhookConnections: read("webhookConnections", undefined, (given) => readWhole(given, 1, MOST_CONNECTIONS)),
    submitsPerMinute: read("rateSubmits", 60, (given) => readWhole(given, 1, MAX_RATE)),
    otlp: readOtlp(read, text),
    role: read("role", "all", (given) => readOneOf(given, ROLES)),
    workers: read("workers", undefined, readList),
    logLevel: read("logLevel", "info", (given) => readOneOf(given, LOG_LEVELS)),
  };
  problems.push(...problemsOfMany(config));
  if (problems.length > 0) throw new SvcError("SVC_CONFIG", configMessage(problems));
  return config;
}

/** @returns a warning for each set variable that has no effect in this version */
export function retiredVariables(env: Environment): string[] {
  return Object.entries(RETIRED_VARIABLES)
    .filter(([name]) => env[name]?.trim())
    .map(([name, reason]) => `${name} is set, but svc no longer supports it: ${reason}. Remove the variable`);
}

/** Where the database is of an app whose environment names none. */
export function defaultFile(dataDir: string): string {
  return `${dataDir}/svc.db`;
}

export function isShared({ databaseUrl }: Pick<Config, "databaseUrl">): boolean {
  return /^postgres(ql)?:/.test(databaseUrl);
}

/** What one process can do for itself, and several can't. */
function problemsOfMany(config: Config): string[] {
  const { isProduction, secret, role, workers } = config;
  if (isShared(config)) {
    if (secret !== undefined || !isProduction) return [];
    return [
      `${VARIABLES.secret} is not set, and processes that share a database must sign with the same: make one with "openssl rand -hex 32"`,
    ];
  }
  const what = [...(role === "all" ? [] : [VARIABLES.role]), ...(workers === undefined ? [] : [VARIABLES.workers])];
  return what.map(
    (name) => `${name} is for processes that share a database: set ${VARIABLES.databaseUrl} to postgres://…`,
  );
}

function configMessage(problems: readonly string[]): string {
  const count = problems.length === 1 ? "One variable is" : `${problems.length} variables are`;
  return `${count} not usable:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`;
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

/** Only what is set: what is not, is the app's to say. */
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
    throw new Error(`is "${given}"; it must be a time such as 30s or 5m`);
  }
}

function readSpan(given: string): Duration {
  try {
    if (durationMs(given) >= 1000) return given;
  } catch {
    // Told below, with what is allowed.
  }
  throw new Error(`is "${given}"; it must be a time from a second on, such as 30d or 12h`);
}

function readOneOf<Value extends string>(given: string, allowed: readonly Value[]): Value {
  const found = allowed.find((value) => value === given);
  if (found !== undefined) return found;
  throw new Error(`is "${given}"; it must be one of ${allowed.join(", ")}`);
}

/** The value itself never gets into a message. */
function readSecret(given: string): string {
  // It could not stand in the list of previous ones.
  if (given.includes(",")) throw new Error("holds a comma; best are 64 random hex digits");
  if (given.length >= MIN_SECRET_LENGTH) return given;
  throw new Error(
    `has ${given.length} characters; it must have at least ${MIN_SECRET_LENGTH}, best 64 random hex digits`,
  );
}

/** The value itself never gets into a message. A key with a space in it could never be sent as a bearer token (RFC 6750). */
function readKey(given: string): string {
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new Error("holds a space, or something else than visible ASCII, which no header can send as one token");
  if (given.length >= MIN_KEY_LENGTH) return given;
  throw new Error(
    `is too short: ${given.length} ${given.length === 1 ? "character" : "characters"}, at least ${MIN_KEY_LENGTH} required; make one with "openssl rand -hex 16"`,
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

/** The variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/protocol/exporter/), those of them that traces need. */
function readOtlp(read: Read, text: Text): OtlpConfig | undefined {
  const url = read("otlpEndpoint", undefined, readEndpoint);
  const headers = read("otlpHeaders", {}, readHeaders);
  const ratio = read("samplerArg", 1, readRatio);
  return url === undefined ? undefined : { url, headers, ratio, serviceName: text("serviceName") ?? "svc" };
}

/** The endpoint is that of all signals; traces have a path below it. */
function readEndpoint(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new Error(`must be an http or https URL without a query, such as http://127.0.0.1:4318`);
  if (url.username !== "" || url.password !== "") throw new Error("holds credentials; they belong into headers");
  return `${url.href.replace(/\/$/, "")}/v1/traces`;
}

/** `name=value,name=value`, values percent-encoded. No value gets into a message: they are keys. */
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
