/**
 * The security headers of every response (docs/reference/http.md section 1), created once per app as flat name/value lists. content-policy.ts creates
 * the policy of HTML. A test compares docs/guide/security.md, which lists these options, with this file.
 */
import { SvcError } from "../shared/errors.ts";
import { policyMark } from "../shared/policy-mark.ts";
import { remembered } from "../shared/collections/memoize.ts";
import { REPORT_GROUP } from "../shared/wire.ts";
import { policyText, reportUrl } from "./content-policy.ts";

export interface SecurityHeaderOptions {
  /**
   * Additional sources by CSP directive: `{ "img-src": ["https://images.example"] }`. Each source may then load or execute that kind of
   * content in your pages. `'unsafe-eval'`, and `'unsafe-inline'` for scripts, are rejected. Default: none.
   */
  csp?: Record<string, readonly string[]>;
  /**
   * Whether browsers reject plain strings where text becomes HTML or script (`innerHTML`, `script.src`, …): `require-trusted-types-for
   * 'script'`. The framework's own policy is `svc`; a list adds the policies of your scripts and libraries. One of them must create the
   * values of `dangerouslySetInnerHTML` in the browser. Has no effect in development, whose tools write HTML. Default: `false`.
   */
  trustedTypes?: boolean | readonly string[];
  /**
   * Target of browsers' reports about policy violations. `true`: this app, which logs a line for each (`report-uri` and, over HTTPS,
   * `report-to`); a text: that https URL. Default: no reports.
   */
  report?: boolean | string;
  /**
   * `true` makes browsers report violations of the policy without enforcing it, so injected scripts run. For trying out a policy on an
   * existing site. Requires `report`. Default: `false`.
   */
  reportOnly?: boolean;
  /**
   * Value of `Strict-Transport-Security`; `false` omits it, so that a first plain-HTTP visit can be tampered with. Default: a year,
   * including subdomains.
   */
  hsts?: false | string;
  /** `SAMEORIGIN` lets your own pages frame each other; anything looser invites clickjacking. Default `DENY`. */
  frameOptions?: "DENY" | "SAMEORIGIN";
  /** Value of `Referrer-Policy`; looser values reveal paths to other sites. Default `strict-origin-when-cross-origin`. */
  referrerPolicy?: string;
  /**
   * Browser features and the origins that may use them, added to the default, which disables camera, microphone and geolocation:
   * `{ camera: ["self"], "display-capture": [] }`. Allowed are `self`, `*` and origins; an empty list disables a feature. An allowed origin
   * may prompt visitors for it, including scripts injected into your pages.
   */
  permissionsPolicy?: Readonly<Record<string, readonly string[]>>;
  /**
   * Windows that share a browsing context group with yours. `same-origin-allow-popups`: windows that you open, such as another site's
   * sign-in, keep their opener. `unsafe-none`: a site that opens your page gets a handle on its window, and can navigate it or count its
   * frames. Default `same-origin`.
   */
  crossOriginOpenerPolicy?: "same-origin" | "same-origin-allow-popups" | "noopener-allow-popups" | "unsafe-none";
  /**
   * Sites that may embed responses as images, scripts or media. `same-site`: also other subdomains; `cross-origin`: any site, which can
   * then learn facts from sizes and timing, and use your bandwidth. Default `same-origin`.
   */
  crossOriginResourcePolicy?: "same-origin" | "same-site" | "cross-origin";
  /**
   * Requires that all embedded content allows embedding. Together with the default of `crossOriginOpenerPolicy` the page is isolated, and
   * has `SharedArrayBuffer` and exact timers. Default: not sent, because it blocks images and frames of sites that don't opt in.
   */
  crossOriginEmbedderPolicy?: "require-corp" | "credentialless" | "unsafe-none";
}

/** The options that a page or route may override. The others apply to the whole site. */
export type OwnSecurityOptions = Pick<
  SecurityHeaderOptions,
  | "csp"
  | "frameOptions"
  | "referrerPolicy"
  | "permissionsPolicy"
  | "crossOriginOpenerPolicy"
  | "crossOriginResourcePolicy"
  | "crossOriginEmbedderPolicy"
>;

/** The app's options with those of one page or route: sources and features are added, other options replaced. */
export function withOwn(app: SecurityHeaderOptions, own: OwnSecurityOptions): SecurityHeaderOptions {
  const csp = { ...app.csp };
  for (const [directive, sources] of Object.entries(own.csp ?? {}))
    csp[directive] = [...(csp[directive] ?? []), ...sources];
  return { ...app, ...own, csp, permissionsPolicy: { ...app.permissionsPolicy, ...own.permissionsPolicy } };
}

/**
 * Fingerprints of the enforced policies, by a page's own options; each is computed once.
 * @throws SvcError `SVC_CONFIG` as `SecurityHeaders`
 */
export function policyMarks(app: SecurityHeaderOptions): (own: OwnSecurityOptions | undefined) => string {
  const made = new Map<OwnSecurityOptions | undefined, string>();
  return (own) => {
    let mark = made.get(own);
    if (mark === undefined) {
      mark = policyMark(app.reportOnly ? "" : policyText(withOwn(app, own ?? {}), false));
      made.set(own, mark);
    }
    return mark;
  };
}

/** Properties of a response that its headers depend on, in addition to the options. */
export interface AnswerFacts {
  /** Whether the response is sent over HTTPS. */
  isSecure: boolean;
  /** Nonce of an HTML response, which its policy contains. */
  nonce: string | undefined;
  /** Hashes of the inline scripts of a shared HTML response: `["sha256-…"]`. An additional nonce is for parts that aren't shared. */
  hashes?: readonly string[] | undefined;
}

/** Features disabled by default. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = { camera: [], microphone: [], geolocation: [] };

/** A response can't override it: browsers that guess types turn uploads into pages. */
const NOSNIFF = "x-content-type-options";

/**
 * Browsers display XML as a document, and SVG may contain scripts: an upload that is opened directly must not execute them. Chromium
 * treats `text/xsl` as XML.
 */
const XML = /(?:^|,)\s*(?:(?:text|application)\/xml\b|text\/xsl\b|[^;,]*\+xml\b)/i;

export class SecurityHeaders {
  /** Headers of every response: `[name, value, …]`. */
  readonly always: readonly string[];
  /** Additional headers of responses over HTTPS. */
  readonly secure: readonly string[];
  /** Reporting endpoints, for HTML over HTTPS. */
  readonly #endpoints: readonly string[];
  readonly #plainLines: string;
  readonly #secureLines: string;
  readonly #endpointLines: string;
  /** All lines of an HTML response with a nonce, as the texts before, between and after the nonces. */
  readonly #htmlLines: { plain: readonly string[]; secure: readonly string[] };
  readonly #policyName: string;
  /** Policy of documents other than HTML. */
  readonly #xmlPolicy: string;
  /** The policy as the texts before, between and after the nonces. */
  readonly #parts: { plain: readonly string[]; secure: readonly string[] };
  /** The same for hashes. */
  readonly #byHash: { plain: readonly string[]; secure: readonly string[] };
  /** Names that a response may override. */
  readonly #names: ReadonlySet<string>;

  /** @throws SvcError `SVC_CONFIG` for a value that is invalid in a header, and for a source that docs/reference/http.md forbids. */
  constructor(options: SecurityHeaderOptions = {}) {
    this.always = alwaysOf(options);
    const hsts = options.hsts ?? "max-age=31536000; includeSubDomains";
    this.secure = hsts === false ? [] : ["strict-transport-security", hsts];
    const url = reportUrl(options);
    if (options.reportOnly && url === undefined)
      throw new SvcError(
        "SVC_CONFIG",
        "security.reportOnly requires security.report, because otherwise nobody receives the reports",
      );
    this.#endpoints = url === undefined ? [] : ["reporting-endpoints", `${REPORT_GROUP}="${url}"`];
    for (const value of [...this.always, ...this.secure]) requireHeaderText(value);
    this.#policyName = options.reportOnly ? "content-security-policy-report-only" : "content-security-policy";
    const frames = options.frameOptions === "SAMEORIGIN" ? "'self'" : "'none'";
    this.#xmlPolicy = `script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors ${frames}`;
    const split = (hasReporting: boolean): string[] => policyText(options, hasReporting).split("'nonce-'");
    this.#parts = { plain: split(false), secure: split(true) };
    const splitByHash = (hasReporting: boolean): string[] => policyText(options, hasReporting, true).split("'hashes-'");
    this.#byHash = { plain: splitByHash(false), secure: splitByHash(true) };
    this.#plainLines = linesOf(this.always);
    this.#secureLines = linesOf([...this.always, ...this.secure]);
    this.#endpointLines = linesOf(this.#endpoints);
    this.#htmlLines = {
      plain: this.#around(this.#plainLines, this.#parts.plain, ""),
      secure: this.#around(this.#secureLines, this.#parts.secure, this.#endpointLines),
    };
    const list = [...this.always, ...this.secure, ...this.#endpoints, this.#policyName];
    this.#names = new Set(list.filter((_, at) => at % 2 === 0));
  }

  /** The policy's line and the lines around it, split at the nonce. */
  #around(before: string, policy: readonly string[], behind: string): string[] {
    const last = policy.length - 1;
    const open = `${before}${this.#policyName}: `;
    // `join` returns a flat string. A concatenated one would be traversed piece by piece at each write.
    return policy.map((part, at) => [at === 0 ? open : "'", part, at === last ? `\r\n${behind}` : "'nonce-"].join(""));
  }

  /** The policy of an HTML response. */
  csp(nonce: string, isSecure = false): string {
    const parts = isSecure ? this.#parts.secure : this.#parts.plain;
    let text = parts[0] ?? "";
    for (let at = 1; at < parts.length; at++) text += `'nonce-${nonce}'${parts[at]}`;
    return text;
  }

  #policy({ isSecure, nonce, hashes }: AnswerFacts): string | undefined {
    if (!hashes) return nonce === undefined ? undefined : this.csp(nonce, isSecure);
    const sources = [...hashes, ...(nonce === undefined ? [] : [`nonce-${nonce}`])]
      .map((source) => ` '${source}'`)
      .join("");
    // `sources` starts with a space, so the space before the placeholder is removed.
    const parts = isSecure ? this.#byHash.secure : this.#byHash.plain;
    return parts.map((part, at) => (at < parts.length - 1 ? part.trimEnd() : part)).join(sources);
  }

  /**
   * All headers of a response. A header of the response replaces svc's: clients would read two as one list, as the first one, or as two
   * policies that both apply. Only `X-Content-Type-Options` can't be replaced.
   * @param own flat, names in lower case; a list that may be changed, because headers are usually added to it.
   */
  complete(own: string[], facts: AnswerFacts): string[] {
    const taken = this.#namesIn(own);
    const isXml = facts.nonce === undefined && !facts.hashes && isXmlType(own);
    if (!taken) return this.#append(own, facts, isXml);
    const pick = (list: readonly string[], isWanted: (name: string) => boolean): string[] =>
      list.flatMap((name, at) => (at % 2 === 0 && isWanted(name) ? [name, list[at + 1] as string] : []));
    return [
      ...pick(own, (name) => name !== NOSNIFF),
      ...pick(this.#append([], facts, isXml), (name) => !taken.has(name)),
    ];
  }

  #append(list: string[], facts: AnswerFacts, isXml: boolean): string[] {
    const { isSecure } = facts;
    for (const text of this.always) list.push(text);
    if (isSecure) list.push(...this.secure);
    if (isXml) list.push(this.#policyName, this.#xmlPolicy);
    const policy = this.#policy(facts);
    if (policy === undefined) return list;
    list.push(this.#policyName, policy);
    if (isSecure) list.push(...this.#endpoints);
    return list;
  }

  /**
   * The same as header lines, `name: value\r\n`, for a response that replaces none of them.
   * @returns undefined if it replaces one; use `complete` then
   */
  lines(own: readonly string[], facts: AnswerFacts): string | undefined {
    if (this.#namesIn(own)) return undefined;
    const { isSecure, nonce, hashes } = facts;
    const always = isSecure ? this.#secureLines : this.#plainLines;
    if (nonce === undefined && !hashes)
      return isXmlType(own) ? `${always}${this.#policyName}: ${this.#xmlPolicy}\r\n` : always;
    if (!hashes && nonce !== undefined) return joined(isSecure ? this.#htmlLines.secure : this.#htmlLines.plain, nonce);
    return `${always}${this.#policyName}: ${this.#policy(facts)}\r\n${isSecure ? this.#endpointLines : ""}`;
  }

  /** The header names that a response replaces; undefined if there are none, the usual case. */
  #namesIn(own: readonly string[]): Set<string> | undefined {
    let taken: Set<string> | undefined;
    for (let at = 0; at < own.length; at += 2) {
      const name = own[at] as string;
      if (this.#names.has(name)) (taken ??= new Set()).add(name);
    }
    taken?.delete(NOSNIFF);
    return taken;
  }
}

const isXml = remembered((type) => XML.test(type));

function isXmlType(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === "content-type" && isXml(headers[at + 1] as string)) return true;
  }
  return false;
}

/** Concatenates. `join` would traverse the whole text, which is traversed again at the write anyway. */
function joined(parts: readonly string[], between: string): string {
  let text = parts[0] ?? "";
  for (let at = 1; at < parts.length; at++) text += between + (parts[at] as string);
  return text;
}

function linesOf(list: readonly string[]): string {
  return list.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
}

function alwaysOf(options: SecurityHeaderOptions): string[] {
  const list = [
    NOSNIFF,
    "nosniff",
    "x-frame-options",
    options.frameOptions ?? "DENY",
    "referrer-policy",
    options.referrerPolicy ?? "strict-origin-when-cross-origin",
    "cross-origin-opener-policy",
    options.crossOriginOpenerPolicy ?? "same-origin",
    "cross-origin-resource-policy",
    options.crossOriginResourcePolicy ?? "same-origin",
    "permissions-policy",
    permissionsText(options.permissionsPolicy ?? {}),
  ];
  const embedder = options.crossOriginEmbedderPolicy;
  return embedder === undefined ? list : [...list, "cross-origin-embedder-policy", embedder];
}

/** Structured fields (RFC 9651): `camera=(self "https://call.example"), usb=*`. */
function permissionsText(added: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries({ ...PERMISSIONS, ...added })
    .map(([feature, allowed]) => {
      if (!/^[a-z][a-z0-9-]*$/.test(feature)) throw refusedPermission(feature);
      return `${feature}=${allowed.includes("*") ? "*" : `(${allowed.map((who) => allowedText(feature, who)).join(" ")})`}`;
    })
    .join(", ");
}

function allowedText(feature: string, who: string): string {
  if (who === "self") return who;
  if (/^https?:\/\/[\w.*:[\]-]+$/.test(who)) return `"${who}"`;
  throw refusedPermission(feature, who);
}

function refusedPermission(feature: string, who = ""): SvcError {
  return new SvcError(
    "SVC_CONFIG",
    `security.permissionsPolicy: ${JSON.stringify(feature)} ${JSON.stringify(who)}; names of features are lower-case, ` +
      `and allowed values are self, * and origins such as https://call.example`,
  );
}

/** RFC 9110 section 5.5, without the obsolete characters. */
function requireHeaderText(value: string): void {
  if (/^[\x20-\x7e]+$/.test(value)) return;
  throw new SvcError("SVC_CONFIG", `security: ${JSON.stringify(value)} is not valid in a header; use visible ASCII`);
}
