/** Finds settings that are valid and nevertheless unsafe on a public server. `svc doctor` reports all of them, and the boot those of the site. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { CidrSet } from "../../platform/security/ssrf/cidr.ts";
import { readConfig, type Config, type Environment } from "./config.ts";

export interface UnsafeSetting {
  /** `unsafe`: fix it before the site is public. `advice`: right for some sites. */
  level: "unsafe" | "advice";
  /** Name of the variable. */
  name: string;
  /** The problem and its fix, in sentences. Never contains a secret. */
  text: string;
}

type Found = (UnsafeSetting | undefined | false)[];
type Check = (config: Config) => Found;

/** Addresses of public services, which are neither a proxy nor a receiver of this site. */
const PUBLIC = ["8.8.8.8", "2001:4860:4860::8888"];
const METADATA = "169.254.169.254";
/** A random secret of 32 characters has at least this many different ones, except once in a billion. */
const MIN_DISTINCT = 8;
const PLACEHOLDER = /change.?me|secret|password|example|default|placeholder|1234|qwert|abcd/i;
/** 24 random base64 characters have 144 bits. */
const MIN_WEBHOOK_SECRET = 24;
const LOOPBACK = /^(127\.|\[?::1\]?$|localhost$)/;
const ANY_HOST = /^(0\.0\.0\.0|\[?::\]?)$/;

/** @throws SvcError `SVC_CONFIG` for invalid settings */
export function unsafeSettings(env: Environment): UnsafeSetting[] {
  const config = readConfig(env);
  const checks = [site, proxies, secrets, payloads, receivers, links];
  return certain([...modes(env), ...checks.flatMap((check) => check(config))]);
}

/**
 * What the boot logs in production: the unsafe settings of the site.
 * @param hasOwnServer whether svc itself listens, which it does without TLS
 * @returns one text for each setting: its name, the problem and the fix
 */
export function bootWarnings(config: Config, hasOwnServer: boolean): string[] {
  if (!config.isProduction) return [];
  return certain([...site(config), ...(hasOwnServer ? proxies(config) : [])])
    .filter(({ level }) => level === "unsafe")
    .map(({ name, text }) => `${name}: ${text}`);
}

function certain(found: Found): UnsafeSetting[] {
  return found.filter((item) => item !== undefined && item !== false);
}

function unsafe(name: keyof typeof VARIABLES, text: string): UnsafeSetting {
  return { level: "unsafe", name: VARIABLES[name], text };
}

function advice(name: keyof typeof VARIABLES, text: string): UnsafeSetting {
  return { level: "advice", name: VARIABLES[name], text };
}

const modes = (env: Environment): Found => [
  env[VARIABLES.nodeEnv]?.trim() === "development" &&
    unsafe(
      "nodeEnv",
      "Responses contain error details in development mode. Set it to production, or remove it for svc start.",
    ),
];

const site: Check = ({ siteOrigin, allowedHosts, host }) => {
  if (siteOrigin === undefined && allowedHosts.length === 0)
    return [
      unsafe(
        "siteUrl",
        `It is not set, nor is ${VARIABLES.allowedHosts}, so the app answers only for localhost and its own address, other hosts get 421, and sitemaps and other absolute links use that address. Set it to the public URL, such as https://example.com.`,
      ),
    ];
  if (siteOrigin === undefined)
    return [
      advice(
        "siteUrl",
        "It is not set, so svc guesses the site's address. Set it to the public URL, such as https://example.com.",
      ),
    ];
  const { protocol, hostname } = new URL(siteOrigin);
  return [
    protocol === "http:" &&
      !LOOPBACK.test(hostname) &&
      unsafe("siteUrl", "It begins with http://, so sessions travel unencrypted. Put TLS in front and use https://."),
    protocol === "https:" &&
      ANY_HOST.test(host) &&
      advice(
        "host",
        "svc listens on all addresses without TLS. Make sure that a firewall lets only the proxy connect, or set it to 127.0.0.1.",
      ),
  ];
};

const proxies: Check = ({ siteOrigin, trustedProxies }) => [
  PUBLIC.some((address) => trustedProxies.has(address)) &&
    unsafe(
      "trustProxy",
      "It trusts public addresses, so every client can forge its address. List only the addresses of the proxies.",
    ),
  siteOrigin?.startsWith("https:") === true &&
    trustedProxies.size === 0 &&
    unsafe(
      "trustProxy",
      "The site uses https, so a proxy is in front, but it is not set: all visitors share one client's limits. List the proxy's address.",
    ),
];

const secrets: Check = ({ secret, previousSecrets, execApiKey, webhookSecret, isProduction }) => [
  secret === undefined &&
    advice(
      "secret",
      "It is not set: svc keeps a generated secret in the data directory. Set it if a deploy replaces that directory.",
    ),
  secret !== undefined && isGuessable(secret) && unsafe("secret", guessable('"openssl rand -hex 32"')),
  previousSecrets.some(isGuessable) &&
    unsafe("previousSecrets", "One of them can be guessed, and still signs visitors in. Remove it."),
  secret !== undefined &&
    previousSecrets.includes(secret) &&
    unsafe(
      "previousSecrets",
      "It contains the current secret, so it was not replaced. Remove it, or change the secret.",
    ),
  execApiKey !== undefined && isGuessable(execApiKey) && unsafe("execApiKey", guessable('"openssl rand -hex 16"')),
  execApiKey !== undefined &&
    [secret, webhookSecret].includes(execApiKey) &&
    unsafe("execApiKey", "It equals another secret, so one leak reveals both. Use different random values."),
  execApiKey === undefined &&
    isProduction &&
    advice("execApiKey", "It is not set, so the operator screens are closed unless the app authorizes visitors."),
];

const payloads: Check = ({ payloadKeys, secret, previousSecrets }) => [
  payloadKeys.some((key) => isGuessable(key.secret)) &&
    unsafe("payloadKeys", `One of them can be guessed. Add a new first key, and run "svc keys rotate".`),
  payloadKeys.some((key) => [secret, ...previousSecrets].includes(key.secret)) &&
    unsafe("payloadKeys", "One of them equals another secret, so one leak reveals both. Use different random values."),
];

const receivers: Check = ({ webhookUrls, webhookSecret, webhookAllowCidrs }) => {
  const allowed = new CidrSet([...webhookAllowCidrs]);
  return [
    webhookUrls.length > 0 &&
      webhookSecret === undefined &&
      unsafe(
        "webhookSecret",
        "It is not set, so receivers can't tell a delivery from a forgery. Set it to random characters.",
      ),
    webhookSecret !== undefined &&
      (webhookSecret.length < MIN_WEBHOOK_SECRET || isGuessable(webhookSecret)) &&
      unsafe(
        "webhookSecret",
        `It has fewer than ${MIN_WEBHOOK_SECRET} characters or can be guessed. Create one with "openssl rand -hex 32".`,
      ),
    webhookUrls.some((url) => url.startsWith("http:")) &&
      advice("webhookUrls", "One of them begins with http://, so its deliveries travel unencrypted."),
    allowed.has(METADATA) &&
      unsafe(
        "webhookAllowCidrs",
        `It allows ${METADATA}, where clouds keep credentials. Allow only the receiver's addresses.`,
      ),
  ];
};

const links: Check = ({ databaseUrl, otlp }) => [
  databaseUrl.startsWith("postgres") &&
    !isLocal(databaseUrl) &&
    !/[?&]sslmode=(require|verify-ca|verify-full)/.test(databaseUrl) &&
    advice(
      "databaseUrl",
      "The connection to PostgreSQL may be unencrypted. Add ?sslmode=verify-full, unless the network is private.",
    ),
  otlp !== undefined &&
    otlp.url.startsWith("http:") &&
    !isLocal(otlp.url) &&
    Object.keys(otlp.headers).length > 0 &&
    unsafe("otlpEndpoint", "It begins with http://, so its key travels unencrypted. Use https://."),
];

function isLocal(url: string): boolean {
  return URL.canParse(url) && (LOOPBACK.test(new URL(url).hostname) || new URL(url).hostname === "");
}

function isGuessable(secret: string): boolean {
  return new Set(secret).size < MIN_DISTINCT || PLACEHOLDER.test(secret);
}

function guessable(command: string): string {
  return `It can be guessed: it has few different characters, or a common word. Create one with ${command}.`;
}
