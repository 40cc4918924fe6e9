/**
 * Decides which URLs and addresses webhooks and guarded requests may call: policy only, no I/O. guarded-agent.ts enforces it when it
 * connects; address-ranges.ts has the address table.
 *
 * The text is checked before the WHATWG parser sees it, because the parser repairs text that should be rejected (`http:127.0.0.1`,
 * backslashes, dropped line breaks). Addresses are compared as numbers, never as text.
 */
import { SvcError, type ErrorCode } from "../../shared/errors.ts";
import { parseAddress } from "./address.ts";
import { refusedBy, type AddressRule } from "./address-ranges.ts";
import { BAD_PORTS } from "./bad-ports.ts";
import { CidrSet } from "./cidr.ts";

type SsrfRule =
  | "length"
  | "characters"
  | "scheme"
  | "host"
  | "credentials"
  | "port"
  | "local-name"
  | "not-exempt"
  | AddressRule;

export interface Refusal {
  readonly ok: false;
  readonly rule: SsrfRule;
  /** `SVC_WEBHOOK_URL` if the text is not an acceptable URL, `SVC_SSRF` if its target is not allowed. */
  readonly code: ErrorCode;
  /** The refused part and the allowed alternatives; never contains an address that a name resolved to. */
  readonly detail: string;
}

export type UrlVerdict = { readonly ok: true; readonly url: URL; readonly isExempt: boolean } | Refusal;
export type AddressVerdict = { readonly ok: true } | Refusal;

export interface SsrfOptions {
  /** Ranges that are allowed in spite of the table; local names may then refer to them. */
  allowCidrs?: readonly string[];
  /** Name of the setting that extends `allowCidrs`, for refusals of an address. Default: not mentioned. */
  allowedBy?: string;
  /** One URL that is allowed exactly (the demo inbox on the app's own origin); read at each check. */
  exemptUrl?: () => string | undefined;
}

/** Longest accepted URL, in UTF-16 units. */
const MAX_URL_LENGTH = 2048;

/** C0 controls, space, DEL and backslash: the parser drops or repairs them, so the text and its meaning would differ. */
// eslint-disable-next-line no-control-regex
const REFUSED_CHARACTERS = /[\u0000-\u0020\u007f\\]/;

/** Names that only exist inside a network: RFC 6761, RFC 6762, RFC 8375, ICANN's .internal, Kubernetes, Consul, and common use. */
const LOCAL_SUFFIX = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|localdomain|arpa|svc|consul)$/;

/** The rules with their exemptions. */
export class SsrfPolicy {
  readonly #allowed: CidrSet;
  readonly #allowedBy: string | undefined;
  readonly #exemptUrl: () => string | undefined;

  /** @throws SvcError `SVC_CONFIG` for an invalid range in `allowCidrs`. */
  constructor(options: SsrfOptions = {}) {
    this.#allowed = new CidrSet(options.allowCidrs ?? []);
    this.#allowedBy = options.allowedBy;
    this.#exemptUrl = options.exemptUrl ?? (() => undefined);
  }

  /** Checks a URL as text. {@link checkAddress} checks the addresses of its name at each connection. */
  checkUrl(rawUrl: string): UrlVerdict {
    const url = readUrl(rawUrl);
    if (!(url instanceof URL)) return url;
    if (this.#isExempt(url)) return { ok: true, url, isExempt: true };
    if (BAD_PORTS.has(portOf(url)))
      return refuse("port", `port ${portOf(url)} belongs to another protocol; use another port`);
    const verdict = this.#checkHost(url.hostname);
    return verdict.ok ? { ok: true, url, isExempt: false } : verdict;
  }

  /**
   * Checks an address before a connection, and the address of a connected peer.
   * @param hostname the name or literal of the connection: a local name may only resolve to addresses in `allowCidrs`
   */
  checkAddress(address: string, hostname: string): AddressVerdict {
    if (this.#allowed.has(address)) return { ok: true };
    if (isLocalName(hostname))
      return refuse(
        "not-exempt",
        `a local name must resolve to addresses in the exempt ranges${this.#wayOut(hostname)}`,
      );
    const rule = refusedBy(address);
    return rule
      ? refuse(rule, `the address is refused; use one on the public internet${this.#wayOut(hostname)}`)
      : { ok: true };
  }

  #checkHost(hostname: string): AddressVerdict {
    if (parseAddress(hostname)) return this.checkAddress(hostname, hostname);
    if (!isLocalName(hostname) || this.#allowed.size > 0) return { ok: true };
    return refuse("local-name", `the host is a local name; use a name on the public internet${this.#wayOut(hostname)}`);
  }

  /** Names an address only if the caller gave it, never one that a name resolved to. */
  #wayOut(hostname: string): string {
    if (this.#allowedBy === undefined) return "";
    const literal = parseAddress(hostname);
    if (!literal) return `, or allow the range of its addresses with ${this.#allowedBy}`;
    const bits = hostname.includes(":") ? 128 : 32;
    return `, or allow it with ${this.#allowedBy}, such as ${hostname.replace(/^\[|\]$/g, "")}/${bits}`;
  }

  #isExempt(url: URL): boolean {
    const exempt = this.#exemptUrl();
    return exempt !== undefined && URL.canParse(exempt) && new URL(exempt).href === url.href;
  }
}

/** Converts a refusal into the caller's error. */
export function refusalError(refusal: Refusal): SvcError {
  return new SvcError(refusal.code, `URL refused (${refusal.rule}): ${refusal.detail}`);
}

/** Whether a host is a single label, or has a suffix that only local networks resolve; never true for addresses. */
export function isLocalName(hostname: string): boolean {
  if (parseAddress(hostname)) return false;
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || LOCAL_SUFFIX.test(name);
}

function readUrl(rawUrl: string): URL | Refusal {
  if (rawUrl.length === 0 || rawUrl.length > MAX_URL_LENGTH)
    return refuseText("length", `it has ${rawUrl.length} characters; 1 to ${MAX_URL_LENGTH} are allowed`);
  if (REFUSED_CHARACTERS.test(rawUrl))
    return refuseText("characters", "it contains a space, a control character or a backslash; percent-encode them");
  if (!/^https?:\/\/[^/?#]/i.test(rawUrl))
    return refuseText("scheme", "it must be absolute and start with http:// or https:// and a host");
  if (/^https?:\/\/[^/?#]*@/i.test(rawUrl))
    return refuseText("credentials", "it contains credentials; remove the part before the @ of the host");
  if (!URL.canParse(rawUrl)) return refuseText("host", "its host or port is invalid");
  const url = new URL(rawUrl);
  url.hash = "";
  return url;
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function refuse(rule: SsrfRule, detail: string): Refusal {
  return { ok: false, rule, code: "SVC_SSRF", detail };
}

function refuseText(rule: SsrfRule, detail: string): Refusal {
  return { ok: false, rule, code: "SVC_WEBHOOK_URL", detail };
}
