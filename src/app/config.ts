/**
 * The configuration variables of contract section 2: read once, validated together. A pure function of an environment;
 * a bad value stops the boot with one message that lists every problem.
 */
import { CidrSet, parseCidr } from "../security/cidr.ts";
import { SvcError } from "../shared/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../shared/log.ts";
import { VARIABLES } from "../shared/wire.ts";

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  host: string;
  port: number;
  /** Whether PORT was set: then a taken port is an error instead of a reason to try the next one. */
  isPortFixed: boolean;
  isProduction: boolean;
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
  logLevel: LogLevel;
}

type VariableName = keyof typeof VARIABLES;

const MODES = ["development", "production", "test"] as const;
/** Shorter secrets can be guessed offline from one signed cookie. */
const MIN_SECRET_LENGTH = 16;
const MAX_RATE = 1_000_000;

/** @throws SvcError `SVC_CONFIG` listing every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const text = (name: VariableName): string | undefined => env[VARIABLES[name]]?.trim() || undefined;
  const read = <Value>(name: VariableName, fallback: Value, parse: (text: string) => Value): Value => {
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
  const config: Config = {
    host: text("host") ?? "127.0.0.1",
    port: read("port", 3000, (given) => readWhole(given, 0, 65_535)),
    isPortFixed: text("port") !== undefined,
    isProduction: read("nodeEnv", "development", (given) => readOneOf(given, MODES)) === "production",
    dataDir,
    databaseUrl: text("databaseUrl") ?? `sqlite:${dataDir}/svc.db`,
    secret: read("secret", undefined, readSecret),
    previousSecrets: read("previousSecrets", [], (given) => readList(given).map(readSecret)),
    webhookUrls: readList(text("webhookUrls")),
    webhookSecret: text("webhookSecret"),
    execApiKey: text("execApiKey"),
    webhookAllowCidrs: read("webhookAllowCidrs", [], readCidrs),
    trustedProxies: new CidrSet(read("trustProxy", [], readCidrs)),
    siteOrigin: read("siteUrl", undefined, readOrigin),
    actionsPerMinute: read("rateActions", 120, (given) => readWhole(given, 1, MAX_RATE)),
    rateFile: text("rateFile"),
    submitsPerMinute: read("rateSubmits", 60, (given) => readWhole(given, 1, MAX_RATE)),
    logLevel: read("logLevel", "info", (given) => readOneOf(given, LOG_LEVELS)),
  };
  if (problems.length > 0) throw new SvcError("SVC_CONFIG", configMessage(problems));
  return config;
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
