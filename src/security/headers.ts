/**
 * The security headers of every answer (contract section 1), made once per app as flat name/value lists. CSP: W3C
 * Content Security Policy Level 3.
 */
import { SvcError } from "../shared/errors.ts";
import { TRUSTED_TYPES_POLICY } from "../shared/wire.ts";

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
  /** `false` drops HSTS, so a first plain-http visit stays open to tampering. Default: a year, subdomains included. */
  hsts?: false | string;
  /** `SAMEORIGIN` lets your own pages frame each other; anything looser invites clickjacking. Default `DENY`. */
  frameOptions?: "DENY" | "SAMEORIGIN";
  /** Default `strict-origin-when-cross-origin`; looser values leak paths to other sites. */
  referrerPolicy?: string;
  /** Default closes camera, microphone and geolocation. */
  permissionsPolicy?: string;
}

/** What a directive that has no sources of its own goes by; naming it must add to that, not replace it (CSP3 section 6.8.4). */
const FALLBACKS: Record<string, string> = {
  "script-src-elem": "script-src",
  "script-src-attr": "script-src",
  "style-src-elem": "style-src",
  "worker-src": "script-src",
};

const CSP_BEFORE_NONCE: Record<string, readonly string[]> = {
  "default-src": ["'self'"],
  "script-src": ["'self'", "'nonce-'", "'strict-dynamic'"],
  "style-src": ["'self'", "'nonce-'"],
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "connect-src": ["'self'"],
  "object-src": ["'none'"],
  "base-uri": ["'self'"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'none'"],
};

export class SecurityHeaders {
  /** For every answer: `[name, value, …]`. */
  readonly always: readonly string[];
  /** For answers over HTTPS, beside `always`. */
  readonly secure: readonly string[];
  readonly #cspParts: readonly string[];

  /** @throws SvcError `SVC_CONFIG` for a value that no header can hold, and for a source that the contract rules out. */
  constructor(options: SecurityHeaderOptions = {}) {
    this.always = [
      "x-content-type-options",
      "nosniff",
      "x-frame-options",
      options.frameOptions ?? "DENY",
      "referrer-policy",
      options.referrerPolicy ?? "strict-origin-when-cross-origin",
      "cross-origin-opener-policy",
      "same-origin",
      "cross-origin-resource-policy",
      "same-origin",
      "permissions-policy",
      options.permissionsPolicy ?? "camera=(), microphone=(), geolocation=()",
    ];
    const hsts = options.hsts ?? "max-age=31536000; includeSubDomains";
    this.secure = hsts === false ? [] : ["strict-transport-security", hsts];
    for (const value of [...this.always, ...this.secure]) requireHeaderText(value);
    this.#cspParts = policyText(options).split("'nonce-'");
  }

  /** The policy of one HTML answer. */
  csp(nonce: string): string {
    return this.#cspParts.join(`'nonce-${nonce}'`);
  }
}

function policyText(options: SecurityHeaderOptions): string {
  const directives: Record<string, readonly string[]> = { ...CSP_BEFORE_NONCE };
  if (options.frameOptions === "SAMEORIGIN") directives["frame-ancestors"] = ["'self'"];
  if (options.trustedTypes) {
    const names = options.trustedTypes === true ? [] : options.trustedTypes;
    directives["require-trusted-types-for"] = ["'script'"];
    directives["trusted-types"] = [TRUSTED_TYPES_POLICY, ...names.map(requirePolicyName)];
  }
  for (const [directive, sources] of Object.entries(options.csp ?? {})) {
    for (const source of sources) requireSource(directive, source);
    const known = directives[directive] ?? CSP_BEFORE_NONCE[fallbackOf(directive) ?? ""] ?? [];
    directives[directive] = [...known.filter((source) => source !== "'none'"), ...sources];
  }
  return Object.entries(directives)
    .map(([directive, sources]) => [directive, ...sources].join(" "))
    .join("; ");
}

function fallbackOf(directive: string): string | undefined {
  return FALLBACKS[directive] ?? (directive.endsWith("-src") ? "default-src" : undefined);
}

function requireSource(directive: string, source: string): void {
  if (!/^[a-z-]+$/.test(directive) || !/^[\x21-\x7e]+$/.test(source) || /[;,]/.test(source)) {
    throw new SvcError("SVC_CONFIG", `security.csp: "${directive} ${source}" is not a directive with one source`);
  }
  const isForScripts = directive.startsWith("script-src") || directive === "default-src" || directive === "worker-src";
  const lower = source.toLowerCase();
  if (lower === "'unsafe-eval'" || (isForScripts && lower === "'unsafe-inline'")) {
    throw new SvcError(
      "SVC_CONFIG",
      `security.csp: ${source} in ${directive} would let injected text run as script. Use a file, or the page's nonce.`,
    );
  }
}

/** W3C Trusted Types section 4.2. */
function requirePolicyName(name: string): string {
  if (/^[\w\-#=/@.%]+$/.test(name)) return name;
  throw new SvcError(
    "SVC_CONFIG",
    `security.trustedTypes: ${JSON.stringify(name)} can't be the name of a policy; use letters, digits and - # = _ / @ . %`,
  );
}

/** RFC 9110 section 5.5, without the obsolete bytes. */
function requireHeaderText(value: string): void {
  if (/^[\x20-\x7e]+$/.test(value)) return;
  throw new SvcError("SVC_CONFIG", `security: ${JSON.stringify(value)} can't stand in a header; use visible ASCII`);
}
