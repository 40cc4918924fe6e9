/**
 * Which URLs and addresses webhooks and guarded requests may call: policy only, no I/O. guarded-agent.ts enforces it where connections are
 * made; address-ranges.ts holds the address table.
 *
 * The text is judged before the WHATWG parser sees it, since that parser repairs what we would rather refuse
 * (`http:127.0.0.1`, backslashes, dropped line breaks). Addresses are judged by number, never by spelling.
 */
import { SvcError, type ErrorCode } from "../shared/errors.ts";
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
  /** `SVC_WEBHOOK_URL` when the text is no acceptable URL at all, `SVC_SSRF` when it leads where we do not go. */
  readonly code: ErrorCode;
  /** What was refused, what is allowed; never tells an address that a name resolved to. */
  readonly detail: string;
}

export type UrlVerdict = { readonly ok: true; readonly url: URL; readonly isExempt: boolean } | Refusal;
export type AddressVerdict = { readonly ok: true } | Refusal;

export interface SsrfOptions {
  /** Ranges whose addresses are allowed whatever the table says; with any, local names may be used for them. */
  allowCidrs?: readonly string[];
  /** What adds to `allowCidrs`, for whoever is refused by an address; default: nothing that they could set. */
  allowedBy?: string;
  /** One URL that is allowed exactly as it is (the demo inbox on our own origin); read at each check. */
  exemptUrl?: () => string | undefined;
}

/** Longest URL accepted, in UTF-16 units. */
const MAX_URL_LENGTH = 2048;

/** C0 controls, space, DEL and backslash: the parser drops or repairs them, so the text would say one thing and mean another. */
// eslint-disable-next-line no-control-regex
const REFUSED_CHARACTERS = /[\u0000-\u0020\u007f\\]/;

/** Names that only mean something inside a network: RFC 6761, RFC 6762, RFC 8375, ICANN's .internal, and habit. */
const LOCAL_SUFFIX = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|localdomain|arpa)$/;

/** The rules with their exemptions. */
export class SsrfPolicy {
  readonly #allowed: CidrSet;
  readonly #allowedBy: string | undefined;
  readonly #exemptUrl: () => string | undefined;

  /** @throws SvcError `SVC_CONFIG` when a range of `allowCidrs` is none. */
  constructor(options: SsrfOptions = {}) {
    this.#allowed = new CidrSet(options.allowCidrs ?? []);
    this.#allowedBy = options.allowedBy;
    this.#exemptUrl = options.exemptUrl ?? (() => undefined);
  }

  /** Judges a URL as text; what its name resolves to is judged by {@link checkAddress} at each connection. */
  checkUrl(rawUrl: string): UrlVerdict {
    const url = readUrl(rawUrl);
    if (!(url instanceof URL)) return url;
    if (this.#isExempt(url)) return { ok: true, url, isExempt: true };
    if (BAD_PORTS.has(portOf(url)))
      return refuse("port", `port ${portOf(url)} belongs to another protocol; use another`);
    const verdict = this.#checkHost(url.hostname);
    return verdict.ok ? { ok: true, url, isExempt: false } : verdict;
  }

  /**
   * Judges an address that is about to be connected to, or just was.
   * @param hostname the name or literal it was reached by: a local name may only lead to addresses in `allowCidrs`
   */
  checkAddress(address: string, hostname: string): AddressVerdict {
    if (this.#allowed.has(address)) return { ok: true };
    if (isLocalName(hostname))
      return refuse("not-exempt", `a local name must lead to addresses in the exempt ranges${this.#wayOut(hostname)}`);
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

  /** An address is named only where it was given: never what a name resolved to. */
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

/** A refusal as the error that callers see. */
export function refusalError(refusal: Refusal): SvcError {
  return new SvcError(refusal.code, `URL refused (${refusal.rule}): ${refusal.detail}`);
}

/** Whether a host is a single label or ends in a suffix that only local networks resolve; never true for addresses. */
export function isLocalName(hostname: string): boolean {
  if (parseAddress(hostname)) return false;
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || LOCAL_SUFFIX.test(name);
}

function readUrl(rawUrl: string): URL | Refusal {
  if (rawUrl.length === 0 || rawUrl.length > MAX_URL_LENGTH)
    return refuseText("length", `it has ${rawUrl.length} characters; 1 to ${MAX_URL_LENGTH} are allowed`);
  if (REFUSED_CHARACTERS.test(rawUrl))
    return refuseText("characters", "it holds a space, a control character or a backslash; percent-encode them");
  if (!/^https?:\/\/[^/?#]/i.test(rawUrl))
    return refuseText("scheme", "it must be absolute and start with http:// or https:// and a host");
  if (/^https?:\/\/[^/?#]*@/i.test(rawUrl))
    return refuseText("credentials", "it holds credentials; leave out what stands before the @ of the host");
  if (!URL.canParse(rawUrl)) return refuseText("host", "its host or port is not valid");
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
