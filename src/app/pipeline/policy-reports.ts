/**
 * Converts violation reports of browsers into fields of a log line: `application/csp-report` (CSP3 section 5.5) and
 * `application/reports+json` (Reporting API). Anyone can send reports, so their content is untrusted: only known fields, cut to a maximum
 * length, in visible ASCII, URLs without query. Pure functions; app/api/policy-report-endpoint.ts handles the requests.
 */
import type { Json } from "../../platform/shared/json.ts";

type JsonObject = Record<string, Json>;

/** Reports per request; further ones are dropped. */
const MAX_REPORTS = 10;
const MAX_FIELD_LENGTH = 200;

/** The logged fields of a report. */
export interface PolicyReport {
  directive: string;
  /** The blocked resource: a URL, or `inline`, `eval`, … */
  refused: string;
  page: string;
  /** Script and line that requested it. */
  source?: string;
  /** The policy is report-only, so nothing was blocked. */
  isTrial?: true;
}

/** @returns an empty list if the body is not a report. */
export function readReports(body: Json): PolicyReport[] {
  const reports = Array.isArray(body) ? body.flatMap(bodyOf) : legacyOf(body);
  return reports.slice(0, MAX_REPORTS).map(readReport);
}

/** Body of a Reporting API report, which may also be of another type. */
function bodyOf(report: Json): JsonObject[] {
  if (!isObject(report) || report["type"] !== "csp-violation" || !isObject(report["body"])) return [];
  return [report["body"]];
}

function legacyOf(body: Json): JsonObject[] {
  return isObject(body) && isObject(body["csp-report"]) ? [body["csp-report"]] : [];
}

/** The two formats spell the same fields differently. */
function readReport(report: JsonObject): PolicyReport {
  const source = place(report["sourceFile"] ?? report["source-file"]);
  const line = clean(report["lineNumber"] ?? report["line-number"]);
  return {
    directive: clean(report["effectiveDirective"] ?? report["effective-directive"] ?? report["violated-directive"]),
    refused: place(report["blockedURL"] ?? report["blocked-uri"]),
    page: place(report["documentURL"] ?? report["document-uri"]),
    ...(source === "" ? {} : { source: line === "" ? source : `${source}:${line}` }),
    ...(report["disposition"] === "report" ? { isTrial: true } : {}),
  };
}

/** A URL without credentials, query and fragment, which may contain secrets; a keyword such as `inline` unchanged. */
function place(value: Json | undefined): string {
  const text = clean(value);
  if (!URL.canParse(text)) return clean(text.split(/[?#]/, 1)[0]);
  const url = new URL(text);
  return clean(url.protocol === "http:" || url.protocol === "https:" ? url.origin + url.pathname : url.protocol);
}

/** Visible ASCII only: no line ends or terminal control sequences. */
function clean(value: Json | undefined): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return String(value)
    .replaceAll(/[^\x21-\x7e]+/g, "_")
    .slice(0, MAX_FIELD_LENGTH);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
