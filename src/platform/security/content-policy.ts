/**
 * The Content-Security-Policy of HTML responses: the defaults of docs/reference/http.md section 1 and the app's additions. Sources: W3C Content Security
 * Policy Level 3, Trusted Types; W3C Reporting API for reports.
 */
import { SvcError } from "../shared/errors.ts";
import { PATHS, REPORT_GROUP, TRUSTED_TYPES_POLICY } from "../shared/wire.ts";

/** The security options that determine the policy (documented in headers.ts). */
export interface PolicyOptions {
  csp?: Record<string, readonly string[]>;
  trustedTypes?: boolean | readonly string[];
  report?: boolean | string;
  frameOptions?: "DENY" | "SAMEORIGIN";
}

/**
 * Directive that applies in the absence of another one; a new directive must extend those sources, not replace them (CSP3 section 6.8.4).
 */
const FALLBACKS: Record<string, string> = {
  "script-src-elem": "script-src",
  "script-src-attr": "script-src",
  "style-src-elem": "style-src",
  "worker-src": "script-src",
};

const DEFAULTS: Record<string, readonly string[]> = {
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

/**
 * For shared responses, which can't have a secret nonce. Inline scripts are allowed by hash. Script files are allowed by origin, because
 * with `'strict-dynamic'` not all browsers could allow them.
 */
const BY_HASH: Record<string, readonly string[]> = {
  ...DEFAULTS,
  "script-src": ["'self'", "'hashes-'"],
  "style-src": ["'self'", "'hashes-'"],
};

/** URL for reports; undefined without reporting. @throws SvcError `SVC_CONFIG` for an invalid URL */
export function reportUrl({ report }: PolicyOptions): string | undefined {
  if (report === undefined || report === false) return undefined;
  if (report === true) return PATHS.cspReport;
  const url = URL.canParse(report) ? new URL(report) : undefined;
  if (url?.protocol === "https:" && url.username === "" && !/[\s;,"\\]/.test(report)) return report;
  throw new SvcError(
    "SVC_CONFIG",
    `security.report: ${JSON.stringify(report)} must be true, or an https URL without spaces, quotes, ";" and ","`,
  );
}

/**
 * The policy, with `'nonce-'` as a placeholder for the nonce.
 * @param hasReporting whether the response names an endpoint of the Reporting API. Browsers that support `report-to` ignore
 *   `report-uri`, and accept endpoints over HTTPS only, so over plain HTTP `report-to` must be missing.
 * @param isByHash uses the placeholder `'hashes-'`, for a response with hashes instead of a nonce.
 * @throws SvcError `SVC_CONFIG` for an invalid directive or source
 */
export function policyText(options: PolicyOptions, hasReporting: boolean, isByHash = false): string {
  const defaults = isByHash ? BY_HASH : DEFAULTS;
  const directives: Record<string, readonly string[]> = { ...defaults };
  if (options.frameOptions === "SAMEORIGIN") directives["frame-ancestors"] = ["'self'"];
  if (options.trustedTypes) {
    const names = options.trustedTypes === true ? [] : options.trustedTypes;
    directives["require-trusted-types-for"] = ["'script'"];
    directives["trusted-types"] = [TRUSTED_TYPES_POLICY, ...names.map(requirePolicyName)];
  }
  for (const [directive, sources] of Object.entries(options.csp ?? {})) {
    requireDirective(directive);
    for (const source of sources) requireSource(directive, source);
    const known = directives[directive] ?? defaults[fallbackOf(directive) ?? ""] ?? [];
    directives[directive] = [...known.filter((source) => source !== "'none'"), ...sources];
  }
  const url = reportUrl(options);
  if (url !== undefined) directives["report-uri"] = [url];
  if (url !== undefined && hasReporting) directives["report-to"] = [REPORT_GROUP];
  return Object.entries(directives)
    .map(([directive, sources]) => [directive, ...sources].join(" "))
    .join("; ");
}

function fallbackOf(directive: string): string | undefined {
  return FALLBACKS[directive] ?? (directive.endsWith("-src") ? "default-src" : undefined);
}

function requireDirective(directive: string): void {
  if (directive !== "report-uri" && directive !== "report-to") return;
  throw new SvcError("SVC_CONFIG", `security.csp: "${directive}" is not allowed; use security.report`);
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
    `security.trustedTypes: ${JSON.stringify(name)} is not a valid policy name; use letters, digits and - # = _ / @ . %`,
  );
}
