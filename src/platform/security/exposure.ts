/**
 * Decides what an app shows to unauthenticated callers, by its mode and by the apparent origin of a request. No other module decides
 * this. A request can't prove that it comes from this machine, because nginx, haproxy and SSH forward requests
 * without a trace. So nothing here opens the operator screens or endpoints: a key or a one-time link does (one-time-link.ts).
 */
import { isIP } from "node:net";

export const MODES = ["development", "production", "test"] as const;
export type Mode = (typeof MODES)[number];

/** What everybody can see. */
export interface Exposure {
  /** Messages and stacks of failed requests, and hints for developers. */
  errorDetails: boolean;
  /** Whether an app without a build renders its pages, without their browser code. */
  unbuiltPages: boolean;
  /** `/_svc/benchmark.json` */
  bundleMetrics: boolean;
  /** The webhook demo, unless the app itself decides (`createApp({ demo })`). */
  demo: boolean;
  /** Whether `svc dev` accepts the one-time link that it printed. */
  operatorLink: boolean;
}

export function exposureOf(mode: Mode): Exposure {
  const isOpen = mode !== "production";
  return { errorDetails: isOpen, unbuiltPages: isOpen, bundleMetrics: isOpen, demo: isOpen, operatorLink: isOpen };
}

/** `NODE_ENV` under `svc start`: production unless it is `development`. An invalid value stays, for the configuration to reject. */
export function modeOfStart(given: string | undefined): string {
  const mode = given?.trim() ?? "";
  return mode === "" || mode === "test" ? "production" : mode;
}

/** The properties of a request that decisions use. */
export interface Caller {
  /** Address of the peer of the connection. */
  peer: string;
  header(name: string): string | undefined;
}

/**
 * Whether a page of the app under development sent this, in a browser that reached it by `localhost`, an address or a name of
 * `SVC_ALLOWED_HOSTS`. Rejects pages of other sites, and names that were pointed at this machine (DNS rebinding). Opens what the pages of
 * `svc dev` show anyway. @param hosts the allowed names. Default: none
 */
export function isFromOwnPage(caller: Pick<Caller, "header">, hosts?: { allows(host: string): boolean }): boolean {
  const site = caller.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const given = caller.header("host") ?? "";
  const host = hostName(given);
  return isIP(host) !== 0 || isLoopbackName(host) || hosts?.allows(given) === true;
}

/**
 * Whether nothing contradicts a developer at this machine. It keeps other people from accidentally opening files in the developer's
 * editor, and is not a proof: several of the proxies in exposure.test.ts leave no trace.
 */
export function seemsLocal(caller: Caller): boolean {
  if (!isFromOwnPage(caller) || PROXY_HEADERS.some((name) => caller.header(name) !== undefined)) return false;
  return isLoopback(caller.peer.replace(/^::ffff:/i, "")) && isLoopbackName(hostName(caller.header("host")));
}

/** Headers that a proxy, tunnel or CDN adds. */
export const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-real-ip",
  "x-amzn-trace-id",
  "x-envoy-external-address",
  "cf-connecting-ip",
  "true-client-ip",
] as const;

/** The name in a `Host` header, without port and brackets. */
export function hostName(host = ""): string {
  return host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}

export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
}

function isLoopback(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
