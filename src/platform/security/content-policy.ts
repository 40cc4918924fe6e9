/**
 * The Content-Security-Policy of HTML answers: contract section 1, with what an app adds. W3C Content Security Policy Level 3,
 * Trusted Types; where reports go: W3C Reporting API.
 */
import { SvcError } from "../shared/errors.ts";
import { PATHS, REPORT_GROUP, TRUSTED_TYPES_POLICY } from "../shared/wire.ts";

/** What of the security options the policy is made of (documented in headers.ts). */
export interface PolicyOptions {
  csp?: Record<string, readonly string[]>;
  trustedTypes?: boolean | readonly string[];
  report?: boolean | string;
  frameOptions?: "DENY" | "SAMEORIGIN";
}

/** What a directive that has no sources of its own goes by; naming it must add to that, not replace it (CSP3 section 6.8.4). */
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
 * Of answers that many share, which a nonce can't be in: whoever has the answer knows it. Inline scripts are named by their
 * hashes; scripts of files by where they are, for `'strict-dynamic'` would leave no way to name them that all browsers know.
 */
const BY_HASH: Record<string, readonly string[]> = {
  ...DEFAULTS,
  "script-src": ["'self'", "'hashes-'"],
  "style-src": ["'self'", "'hashes-'"],
};

/** Where reports go by these options; undefined where nobody wants them. @throws SvcError `SVC_CONFIG` for what is no URL for them. */
export function reportUrl({ report }: PolicyOptions): string | undefined {
  if (report === undefined || report === false) return undefined;
  if (report === true) return PATHS.cspReport;
  const url = URL.canParse(report) ? new URL(report) : undefined;
  if (url?.protocol === "https:" && url.username === "" && !/[\s;,"\\]/.test(report)) return report;
  throw new SvcError(
    "SVC_CONFIG",
    `security.report: ${JSON.stringify(report)} is not true, and no https URL without spaces, quotes, ";" and ","`,
  );
}

/**
 * The text of the policy, with `'nonce-'` where the nonce belongs.
 * @param hasReporting whether the answer names the endpoint of the Reporting API too. Browsers that see `report-to` leave
 *   `report-uri` alone, and take endpoints from HTTPS only, so over plain HTTP there must be no `report-to`.
 * @param isByHash has `'hashes-'` there, for what an answer has in place of a nonce.
 * @throws SvcError `SVC_CONFIG`
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
  throw new SvcError("SVC_CONFIG", `security.csp: "${directive}" is what security.report is for`);
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
