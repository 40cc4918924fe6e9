/**
 * The security headers of every answer (contract section 1), made once per app as flat name/value lists. The policy of HTML
 * is content-policy.ts; docs/guide/security.md has these options as a table, held equal to this file by a test.
 */
import { SvcError } from "../shared/errors.ts";
import { policyMark } from "../shared/policy-mark.ts";
import { remembered } from "../shared/memoize.ts";
import { REPORT_GROUP } from "../shared/wire.ts";
import { policyText, reportUrl } from "./content-policy.ts";

export interface SecurityHeaderOptions {
  /**
   * Extra sources per CSP directive, e.g. `{ "img-src": ["https://images.example"] }`. Each source added is a place that
   * may then load or run that kind of content in your pages. `'unsafe-eval'`, and `'unsafe-inline'` for scripts, are
   * refused.
   */
  csp?: Record<string, readonly string[]>;
  /**
   * Whether browsers refuse plain strings where text becomes HTML or script (`innerHTML`, `script.src`, …):
   * `require-trusted-types-for 'script'`. The framework's own policy is `svc`; a list names those of your scripts and of
   * libraries. What `dangerouslySetInnerHTML` gets in the browser must then be made by one of them. Not in development,
   * whose own tools write HTML. Default: `false`.
   */
  trustedTypes?: boolean | readonly string[];
  /**
   * Where browsers tell of what the policy refused. `true`: to this app, which logs a line for each (`report-uri` and, over
   * HTTPS, `report-to`); a text: to that https URL. Default: nowhere.
   */
  report?: boolean | string;
  /**
   * `true` has browsers tell of what the policy would refuse, and refuse nothing: injected scripts run. For trying a policy out
   * on a site that has none yet. Needs `report`. Default: `false`.
   */
  reportOnly?: boolean;
  /** `false` drops HSTS, so a first plain-http visit stays open to tampering. Default: a year, subdomains included. */
  hsts?: false | string;
  /** `SAMEORIGIN` lets your own pages frame each other; anything looser invites clickjacking. Default `DENY`. */
  frameOptions?: "DENY" | "SAMEORIGIN";
  /** Default `strict-origin-when-cross-origin`; looser values leak paths to other sites. */
  referrerPolicy?: string;
  /**
   * Features of the browser, and who may use them, on top of the default, which closes camera, microphone and geolocation:
   * `{ camera: ["self"], "display-capture": [] }`. Names are `self`, `*`, or origins; an empty list closes a feature. Whoever
   * is named may ask visitors for it, injected scripts in your pages included.
   */
  permissionsPolicy?: Readonly<Record<string, readonly string[]>>;
  /**
   * Which windows share a browsing context group with yours. `same-origin-allow-popups`: windows that you open, such as a sign-in of
   * another site, keep their opener. `unsafe-none`: whoever opens your page gets a handle on its window and can navigate
   * it or count its frames. Default `same-origin`.
   */
  crossOriginOpenerPolicy?: "same-origin" | "same-origin-allow-popups" | "noopener-allow-popups" | "unsafe-none";
  /**
   * Who may embed answers as images, scripts, media. `same-site`: other subdomains too; `cross-origin`: any site, which can then read
   * what leaks by size and time, and use your bandwidth. Default `same-origin`.
   */
  crossOriginResourcePolicy?: "same-origin" | "same-site" | "cross-origin";
  /**
   * Demands of everything that pages embed that it allows it; with the default of `crossOriginOpenerPolicy` the page is then isolated
   * and has `SharedArrayBuffer` and exact timers. Default: not sent, for it stops images and frames of sites that don't take part.
   */
  crossOriginEmbedderPolicy?: "require-corp" | "credentialless" | "unsafe-none";
}

/** What a page or a route may have of its own. The rest is one for the whole site. */
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

/** The app's options with those of one page or route: sources and features add up, the rest takes the place of the app's. */
export function withOwn(app: SecurityHeaderOptions, own: OwnSecurityOptions): SecurityHeaderOptions {
  const csp = { ...app.csp };
  for (const [directive, sources] of Object.entries(own.csp ?? {}))
    csp[directive] = [...(csp[directive] ?? []), ...sources];
  return { ...app, ...own, csp, permissionsPolicy: { ...app.permissionsPolicy, ...own.permissionsPolicy } };
}

/**
 * Marks of the policies that browsers enforce, by what a page has of its own: each is made once.
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

/** What headers depend on beside the options. */
export interface AnswerFacts {
  /** Whether the answer goes out over HTTPS. */
  isSecure: boolean;
  /** Of an HTML answer, whose policy holds it. */
  nonce: string | undefined;
  /** Of an HTML answer that many share, hashes of its inline scripts: `["sha256-…"]`. A nonce beside them is for what isn't shared. */
  hashes?: readonly string[] | undefined;
}

/** Features closed by default. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = { camera: [], microphone: [], geolocation: [] };

/** Never an answer's own: a type that is guessed is how uploads become pages. */
const NOSNIFF = "x-content-type-options";

/**
 * XML is shown as a document too, and in SVG there may be scripts: an upload that is opened by itself must not run them. Chromium
 * takes `text/xsl` for XML.
 */
const XML = /(?:^|,)\s*(?:(?:text|application)\/xml\b|text\/xsl\b|[^;,]*\+xml\b)/i;

export class SecurityHeaders {
  /** For every answer: `[name, value, …]`. */
  readonly always: readonly string[];
  /** For answers over HTTPS, beside `always`. */
  readonly secure: readonly string[];
  /** Over HTTPS, for HTML: where reports go. */
  readonly #endpoints: readonly string[];
  readonly #plainLines: string;
  readonly #secureLines: string;
  readonly #endpointLines: string;
  /** All lines of an HTML answer with a nonce: texts before, between and behind the nonces, as few as there can be. */
  readonly #htmlLines: { plain: readonly string[]; secure: readonly string[] };
  readonly #policyName: string;
  /** Of documents that are no HTML. */
  readonly #xmlPolicy: string;
  /** Texts before, between and behind the nonces. */
  readonly #parts: { plain: readonly string[]; secure: readonly string[] };
  /** The same around hashes. */
  readonly #byHash: { plain: readonly string[]; secure: readonly string[] };
  /** Names that an answer may have of its own. */
  readonly #names: ReadonlySet<string>;

  /** @throws SvcError `SVC_CONFIG` for a value that no header can hold, and for a source that the contract rules out. */
  constructor(options: SecurityHeaderOptions = {}) {
    this.always = alwaysOf(options);
    const hsts = options.hsts ?? "max-age=31536000; includeSubDomains";
    this.secure = hsts === false ? [] : ["strict-transport-security", hsts];
    const url = reportUrl(options);
    if (options.reportOnly && url === undefined)
      throw new SvcError("SVC_CONFIG", "security.reportOnly without security.report: nobody would hear of anything");
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

  /** The policy's line with those before and behind it, in pieces to put the nonce between. */
  #around(before: string, policy: readonly string[], behind: string): string[] {
    const last = policy.length - 1;
    const open = `${before}${this.#policyName}: `;
    // Joined, a text is whole: one that was added up is gone through piece by piece each time it goes out.
    return policy.map((part, at) => [at === 0 ? open : "'", part, at === last ? `\r\n${behind}` : "'nonce-"].join(""));
  }

  /** The policy of one HTML answer. */
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
    // The space before the placeholder is its own.
    const parts = isSecure ? this.#byHash.secure : this.#byHash.plain;
    return parts.map((part, at) => (at < parts.length - 1 ? part.trimEnd() : part)).join(sources);
  }

  /**
   * All headers of an answer. One that it has by itself takes the place of ours: two would be read as one list by some, as the
   * first by others, and two policies as both at once. `X-Content-Type-Options` alone is always ours.
   * @param own flat, names in lower case; a list that nobody else goes by, for most are added to.
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
   * The same as lines of a head, where the answer has none of them by itself: `name: value\r\n` each.
   * @returns undefined where it has one; then `complete` is for it
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

  /** Which of our names an answer has to itself; undefined where it has none, as nearly always. */
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

/** `join` would go through all of it, for a text that is gone through again when it goes out. */
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
    `security.permissionsPolicy: ${JSON.stringify(feature)} ${JSON.stringify(who)}; features are named in lower case, ` +
      `who may use them by self, * or an origin such as https://call.example`,
  );
}

/** RFC 9110 section 5.5, without the obsolete bytes. */
function requireHeaderText(value: string): void {
  if (/^[\x20-\x7e]+$/.test(value)) return;
  throw new SvcError("SVC_CONFIG", `security: ${JSON.stringify(value)} can't stand in a header; use visible ASCII`);
}
