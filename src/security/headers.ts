/**
 * The security headers of every answer (contract section 1), made once per app as flat name/value lists.
 */

export interface SecurityHeaderOptions {
  /**
   * Extra sources per CSP directive, e.g. `{ "img-src": ["https://images.example"] }`. Each source added is a place that
   * may then load or run that kind of content in your pages.
   */
  csp?: Record<string, readonly string[]>;
  /** `false` drops HSTS, so a first plain-http visit stays open to tampering. Default: a year, subdomains included. */
  hsts?: false | string;
  /** `SAMEORIGIN` lets your own pages frame each other; anything looser invites clickjacking. Default `DENY`. */
  frameOptions?: "DENY" | "SAMEORIGIN";
  /** Default `strict-origin-when-cross-origin`; looser values leak paths to other sites. */
  referrerPolicy?: string;
  /** Default closes camera, microphone and geolocation. */
  permissionsPolicy?: string;
}

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
  for (const [directive, sources] of Object.entries(options.csp ?? {})) {
    const known = (directives[directive] ?? []).filter((source) => source !== "'none'");
    directives[directive] = [...known, ...sources];
  }
  return Object.entries(directives)
    .map(([directive, sources]) => `${directive} ${sources.join(" ")}`)
    .join("; ");
}
