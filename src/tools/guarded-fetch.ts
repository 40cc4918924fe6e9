/**
 * `fetch` for URLs that came from outside: it reaches only what the SSRF rules allow, ends at one deadline, and reads no more
 * than it may. Owns that wrapping; the rules are platform/security/ssrf.ts, and hold where connections are made
 * (platform/security/guarded-agent.ts), so for every redirect too.
 *
 * undici's fetch and not the global one: an agent and a fetch of two versions of undici do not fit together.
 */
import type { Agent, fetch as undiciFetch } from "undici";
import type { Resolve } from "../platform/security/resolve.ts";
import { refusalError, SsrfPolicy } from "../platform/security/ssrf.ts";
import { durationMs, systemClock, type Clock, type Duration } from "../platform/shared/clock.ts";
import { SvcError } from "../platform/shared/errors.ts";
import { boundedBody } from "./bounded-body.ts";

export interface GuardedFetchOptions {
  /** Address ranges that may be called though they are inside a network: `["10.1.0.0/16"]`. Default: none. */
  allowCidrs?: readonly string[];
  /** Longest that a request may take, redirects and the reading of its answer included. Default "1m". */
  timeout?: Duration;
  /** Most bytes of an answer, as they are read: decompressed. Default 10 MiB. */
  maxBytes?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** Addresses of a name. Default: DNS, then the hosts file. */
  resolve?: Resolve;
}

/** What a guarded request may say of itself. */
export type GuardedInit = Pick<RequestInit, "method" | "headers" | "body" | "redirect" | "signal">;

/**
 * As the global `fetch`, for public addresses only. Fails with SvcError: `SVC_WEBHOOK_URL` for a text that is no URL to call,
 * `SVC_SSRF` for one that leads into a network, `SVC_UPSTREAM` for what is too slow, too large or broken off; with the
 * signal's reason when that aborts. Cookies are neither kept nor sent; proxy variables are not read.
 */
export interface GuardedFetch {
  (input: string | URL | Request, init?: GuardedInit): Promise<Response>;
  /** Breaks off what is under way and closes the connections that were kept. */
  close(): Promise<void>;
}

interface Wire {
  readonly agent: Agent;
  readonly fetch: typeof undiciFetch;
}

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
/** Statuses whose answers have no body (Fetch, "null body status"). */
const BODILESS = new Set([101, 204, 205, 304]);

/** Makes a {@link GuardedFetch}; nothing is opened before its first request. @throws SvcError `SVC_CONFIG` for a bad range. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
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

/** The same `fetch` for one caller: what it asks for ends with the caller. */
export function fetchUntil(
  fetch: GuardedFetch,
  signal: AbortSignal,
): (...args: Parameters<GuardedFetch>) => Promise<Response> {
  return (input, given) => {
    const { rawUrl, init } = requestOf(input, given);
    return fetch(rawUrl, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
  };
}

/** Splits a Request into URL and options, so that clients that take a `fetch` can be given a guarded one. `given` overrides it. */
function requestOf(input: string | URL | Request, given: GuardedInit = {}): { rawUrl: string; init: GuardedInit } {
  if (!(input instanceof Request)) return { rawUrl: String(input), init: given };
  const { url, method, headers, body, redirect, signal } = input;
  return { rawUrl: url, init: { method, headers, body, redirect, signal, ...given } };
}

/** Loaded with the first request: undici is a sixth of what a process does until its first answer. */
async function openWire(policy: SsrfPolicy, resolve: Resolve | undefined): Promise<Wire> {
  const [{ fetch }, { guardedAgent }] = await Promise.all([
    import("undici"),
    import("../platform/security/guarded-agent.ts"),
  ]);
  return { fetch, agent: guardedAgent({ policy, ...(resolve && { resolve }) }) };
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

/** Of what callers set only what is theirs to set: not by which agent. A form is written out here: undici knows only forms of its own class. */
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

/** An answer of the global class, which is what callers compare with. */
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
    `${url.host} has not answered whole within ${timeoutMs / 1000} s; raise "timeout" if it may take longer`,
  );
}

/** A short reason: our own refusals whole, codes of the system otherwise, since its messages hold addresses. */
function broken(url: URL, error: unknown): SvcError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SvcError) return cause;
    if ("code" in cause && typeof cause.code === "string")
      return new SvcError("SVC_UPSTREAM", `The connection to ${url.host} failed: ${cause.code}`, { cause: error });
  }
  return new SvcError("SVC_UPSTREAM", `The request to ${url.host} failed`, { cause: error });
}
