/** For receivers: verifies a delivery and reads its payload. Both schemes, in constant time, with several secrets. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { timingSafeEqual } from "node:crypto";
import { SvcError } from "../../platform/shared/errors.ts";
import { DELIVERY_HEADERS } from "../../platform/shared/wire.ts";
import type { WebhookPayload } from "../outbox/payload.ts";
import { isGuessable, SigningKey } from "./sign.ts";

export interface VerifyOptions {
  /** The raw body as received. Parsing and printing it again would change its bytes. */
  body: string | Uint8Array;
  /** Headers of the request: a web `Headers`, or the object of node:http. */
  headers: { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;
  /** The shared secret, exactly as configured at the sender. */
  secret?: string;
  /** Several secrets, during a rotation. */
  secrets?: readonly string[];
  /** Largest difference between the timestamp and now, in either direction. Default `"5m"` (Standard Webhooks). */
  tolerance?: Duration;
  /** Unix milliseconds. Default: now. */
  now?: number;
  /**
   * Whether deliveries without the `webhook-*` headers are refused. Default true: `X-Svc-Signature` alone contains no time, so anybody who
   * has recorded a delivery could send it again. Set false only for senders without these headers, and remember delivery ids.
   */
  requireTimestamp?: boolean;
}

const TOLERANCE = "5m";
const { standardId, standardTimestamp, standardSignature: standardSignatureName } = DELIVERY_HEADERS;

/**
 * The payload of a delivery that one of the secrets signed. If the Standard Webhooks headers exist, they must verify and be recent;
 * without them, the delivery is refused unless `requireTimestamp` is false and `X-Svc-Signature` verifies.
 * @throws SvcError `SVC_UNAUTHORIZED` for a wrong or missing signature or time, `SVC_INVALID` for a body that is not JSON, `SVC_CONFIG` for a
 * secret that is missing, empty or too short.
 * @example
 * const payload = verify({
 *   body: await request.text(),
 *   headers: request.headers,
 *   secret: process.env["SVC_WEBHOOK_SECRET"] ?? "",
 * });
 */
export function verify(options: VerifyOptions): WebhookPayload {
  const secrets = [...(options.secrets ?? []), ...(options.secret === undefined ? [] : [options.secret])];
  if (secrets.length === 0) throw new SvcError("SVC_CONFIG", "verify was given no secret; pass secret or secrets");
  // A variable that is not set leads to an empty secret, for which anybody can sign.
  if (secrets.some(isGuessable))
    throw new SvcError(
      "SVC_CONFIG",
      'verify was given a secret that is empty or too short: at least 8 characters are required, and 16 bytes in base64 after "whsec_". Is the variable with the secret set?',
    );
  if (header(options, standardSignatureName) !== undefined) verifyStandard(options, secrets);
  else verifyBodySignature(options, secrets);
  return readPayload(options.body);
}

/** Signed by the sender, so depth and keys are not suspect: a result may contain a key "constructor". */
function readPayload(body: string | Uint8Array): WebhookPayload {
  try {
    const text = typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
    return JSON.parse(text) as WebhookPayload;
  } catch (cause) {
    throw new SvcError("SVC_INVALID", "The webhook's signature is valid, but its body is not JSON in UTF-8", { cause });
  }
}

function verifyStandard(options: VerifyOptions, secrets: readonly string[]): void {
  const id = header(options, standardId);
  const timestamp = header(options, standardTimestamp);
  const given = header(options, standardSignatureName)?.split(" ") ?? [];
  if (id === undefined || timestamp === undefined) throw refused(`${standardId} or ${standardTimestamp} is missing`);
  checkTime(options, timestamp);
  const expected = secrets.map((secret) => new SigningKey(secret).standard(id, timestamp, options.body));
  if (!anyEqual(expected, given))
    throw refused(`no signature in ${standardSignatureName} matches; check the secret and that the body is raw`);
}

function verifyBodySignature(options: VerifyOptions, secrets: readonly string[]): void {
  const given = header(options, DELIVERY_HEADERS.signature);
  if (given === undefined) throw refused("there is no signature header");
  if (options.requireTimestamp ?? true)
    throw refused(`${standardSignatureName} is missing, and a timestamp is required`);
  const expected = secrets.map((secret) => new SigningKey(secret).body(options.body));
  if (!anyEqual(expected, [given]))
    throw refused("the signature does not match; check the secret and that the body is raw");
}

function checkTime(options: VerifyOptions, timestamp: string): void {
  const nowSeconds = Math.floor((options.now ?? Date.now()) / 1000);
  const tolerance = durationMs(options.tolerance ?? TOLERANCE) / 1000;
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(nowSeconds - Number(timestamp)) <= tolerance;
  if (!isRecent) throw refused(`${standardTimestamp} is more than ${tolerance} s off; check the clocks`);
}

/** Compares all with all, so that the time reveals neither the matching pair nor how far one matched. */
function anyEqual(expected: readonly string[], given: readonly string[]): boolean {
  let isMatch = false;
  for (const candidate of expected) for (const text of given) isMatch = equalTexts(candidate, text) || isMatch;
  return isMatch;
}

function equalTexts(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function header({ headers }: VerifyOptions, name: string): string | undefined {
  if (isWebHeaders(headers)) return headers.get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === wanted);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value.join(" ") : value;
}

function isWebHeaders(headers: VerifyOptions["headers"]): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

/** A separate class, so that the security log can name it. */
export class SignatureRefusal extends SvcError {
  constructor(what: string) {
    super("SVC_UNAUTHORIZED", `Webhook refused: ${what}`);
  }
}

function refused(what: string): SvcError {
  return new SignatureRefusal(what);
}
