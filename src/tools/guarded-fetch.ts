/**
 * `fetch` for URLs from untrusted input: reaches only what the SSRF rules allow, has one deadline, and limits the size of the response.
 * The rules are in platform/security/ssrf/ssrf.ts. They apply where a connection is made (platform/security/ssrf/guarded-agent.ts), so to every
 * redirect as well.
 * Uses undici's fetch instead of the global one: an agent and a fetch of different versions of undici do not work together.
 */
import type { Agent, fetch as undiciFetch } from "undici";
import type { Resolve } from "../platform/security/ssrf/resolve.ts";
import { refusalError, SsrfPolicy } from "../platform/security/ssrf/ssrf.ts";
import { durationMs, systemClock, type Clock, type Duration } from "../platform/shared/clock.ts";
import { SvcError } from "../platform/shared/errors.ts";
import { requireRuntime } from "../platform/security/require-runtime.ts";
import { boundedBody } from "./bounded-body.ts";

export interface GuardedFetchOptions {
  /** Private address ranges that may be called: `["10.1.0.0/16"]`. Default: none. */
  allowCidrs?: readonly string[];
  /** Longest time of a request, including redirects and reading the body. Default `"1m"`. */
  timeout?: Duration;
  /** Largest response in bytes, decompressed. Default 10 MiB. */
  maxBytes?: number;
  /** Default: the system clock. */
  clock?: Clock;
  /** Resolves a host name to addresses. Default: DNS, then the hosts file. */
  resolve?: Resolve;
}

/** Options of a guarded request. */
export type GuardedInit = Pick<RequestInit, "method" | "headers" | "body" | "redirect" | "signal">;

/**
 * Like the global `fetch`, for public addresses only. Fails with an SvcError: `SVC_WEBHOOK_URL` for an invalid URL, `SVC_SSRF` for an
 * address inside a network, `SVC_UPSTREAM` for a response that is too slow, too large or incomplete; with the signal's reason if that
 * aborts. Neither keeps nor sends cookies, and ignores proxy variables.
 */
export interface GuardedFetch {
  (input: string | URL | Request, init?: GuardedInit): Promise<Response>;
  /** Aborts open requests and closes idle connections. */
  close(): Promise<void>;
}

interface Wire {
  readonly agent: Agent;
  readonly fetch: typeof undiciFetch;
}

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
/** Statuses whose responses have no body (Fetch, "null body status"). */
const BODILESS = new Set([101, 204, 205, 304]);

/**
 * Creates a {@link GuardedFetch}. Opens nothing before the first request. @throws SvcError `SVC_CONFIG` for an invalid range,
 * `SVC_RUNTIME` where undici ignores the connector that enforces the rules.
 * @example
 * const safeFetch = createGuardedFetch({ timeout: "5s" });
 * const response = await safeFetch("https://example.com/feed.xml");
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  requireRuntime();
  const policy = new SsrfPolicy({ allowCidrs: options.allowCidrs ?? [] });
  const limits = {
    clock: options.clock ?? systemClock,
    timeoutMs: durationMs(options.timeout ?? "1m"),
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
  };
  let opened: Promise<Wire> | undefined;
  const wire = (): Promise<Wire> => (opened ??= openWire(policy, options.resolve));
  const guarded = async (input: string | URL | Request, given: GuardedInit = {}): Promise<Response> => {
    const { rawUrl, init } = requestOf(input, given);
    const verdict = policy.checkUrl(rawUrl);
    if (!verdict.ok) throw refusalError(verdict);
    init.signal?.throwIfAborted();
    return send(await wire(), verdict.url, init, limits);
  };
  return Object.assign(guarded, { close: async () => (await opened)?.agent.destroy() });
}

/** The same `fetch` for one caller: its requests end with the caller. */
export function fetchUntil(
  fetch: GuardedFetch,
  signal: AbortSignal,
): (...args: Parameters<GuardedFetch>) => Promise<Response> {
  return (input, given) => {
    const { rawUrl, init } = requestOf(input, given);
    return fetch(rawUrl, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
  };
}

/**
 * Splits a Request into URL and options, so that a client that accepts a `fetch` can use a guarded one. `given` overrides its options.
 */
function requestOf(input: string | URL | Request, given: GuardedInit = {}): { rawUrl: string; init: GuardedInit } {
  if (!(input instanceof Request)) return { rawUrl: String(input), init: given };
  const { url, method, headers, body, redirect, signal } = input;
  return { rawUrl: url, init: { method, headers, body, redirect, signal, ...given } };
}

/** Loads undici with the first request: it takes a sixth of the time until a process answers its first request. */
async function openWire(policy: SsrfPolicy, resolve: Resolve | undefined): Promise<Wire> {
  const [undici, { guardedAgent }, { requireConnector }] = await Promise.all([
    import("undici"),
    import("../platform/security/ssrf/guarded-agent.ts"),
    import("../platform/security/ssrf/connector-probe.ts"),
  ]);
  await requireConnector(undici);
  return { fetch: undici.fetch, agent: guardedAgent({ policy, ...(resolve && { resolve }) }) };
}

interface Limits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

async function send({ fetch, agent }: Wire, url: URL, init: GuardedInit, limits: Limits): Promise<Response> {
  const deadline = new AbortController();
  const timer = limits.clock.schedule(limits.timeoutMs, () => deadline.abort(tooSlow(url, limits.timeoutMs)));
  const signal = init.signal ? AbortSignal.any([deadline.signal, init.signal]) : deadline.signal;
  const failure = (error: unknown): unknown => (signal.aborted ? signal.reason : broken(url, error));
  try {
    const answer = await fetch(url, { ...(await carried(init)), signal, dispatcher: agent });
    const end = (): void => timer.cancel();
    return restored(answer, answer.body && boundedBody(answer.body, { maxBytes: limits.maxBytes, failure, end, url }));
  } catch (error) {
    timer.cancel();
    throw failure(error);
  }
}

type Init = NonNullable<Parameters<typeof undiciFetch>[1]>;

/** The options that callers may set, without the agent. Encodes a FormData here, because undici recognises only its own class. */
async function carried({ method, headers: given, body, redirect }: GuardedInit): Promise<Init> {
  const headers = new Headers(given);
  const common = { ...(method !== undefined && { method }), ...(redirect && { redirect }) };
  if (!(body instanceof FormData)) {
    return { ...common, headers: [...headers], ...(body && { body, duplex: "half" }) };
  }
  const written = new Response(body);
  headers.set("content-type", written.headers.get("content-type") ?? "");
  return { ...common, headers: [...headers], body: await written.arrayBuffer() };
}

/** Converts the response to the global class, with which callers compare. */
function restored(answer: Awaited<ReturnType<typeof undiciFetch>>, body: ReadableStream<Uint8Array> | null): Response {
  const { status, statusText, url, redirected } = answer;
  const response = new Response(BODILESS.has(status) ? null : body, {
    status,
    statusText,
    headers: [...answer.headers],
  });
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}

function tooSlow(url: URL, timeoutMs: number): SvcError {
  return new SvcError(
    "SVC_UPSTREAM",
    `${url.host} did not respond completely within ${timeoutMs / 1000} s; raise "timeout" to allow that`,
  );
}

/** A short reason: svc's own refusals in full, otherwise the system's error code, because its message contains addresses. */
function broken(url: URL, error: unknown): SvcError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SvcError) return cause;
    if ("code" in cause && typeof cause.code === "string")
      return new SvcError("SVC_UPSTREAM", `The connection to ${url.host} failed: ${cause.code}`, { cause: error });
  }
  return new SvcError("SVC_UPSTREAM", `The request to ${url.host} failed`, { cause: error });
}
