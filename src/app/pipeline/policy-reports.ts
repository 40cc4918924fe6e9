/**
 * What browsers report of a policy, as fields of a log line: of `application/csp-report` (CSP3 section 5.5) and of
 * `application/reports+json` (Reporting API). Anyone may send these, so nothing in them is believed or kept as it came: fields by
 * name, cut short, visible, URLs without what they carry. Pure; app/api/policy-report-endpoint.ts answers.
 */
import type { Json } from "../../platform/shared/json.ts";

type JsonObject = Record<string, Json>;

/** More of one request are not told. */
const MAX_REPORTS = 10;
const MAX_FIELD_LENGTH = 200;

/** What is logged of one report. */
export interface PolicyReport {
  directive: string;
  /** What was refused: a URL, or `inline`, `eval`, … */
  refused: string;
  page: string;
  /** Script and line that asked for it. */
  source?: string;
  /** The policy is on trial, and nothing was refused. */
  isTrial?: true;
}

/** @returns none where the body is not a report. */
export function readReports(body: Json): PolicyReport[] {
  const reports = Array.isArray(body) ? body.flatMap(bodyOf) : legacyOf(body);
  return reports.slice(0, MAX_REPORTS).map(readReport);
}

/** Of the Reporting API, which has reports of other kinds too. */
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

/** A URL without credentials, query and fragment, which may hold what is secret; a word such as `inline` as it is. */
function place(value: Json | undefined): string {
  const text = clean(value);
  if (!URL.canParse(text)) return clean(text.split(/[?#]/, 1)[0]);
  const url = new URL(text);
  return clean(url.protocol === "http:" || url.protocol === "https:" ? url.origin + url.pathname : url.protocol);
}

/** Visible ASCII alone: nothing that ends a line or steers a terminal. */
function clean(value: Json | undefined): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return String(value)
    .replaceAll(/[^\x21-\x7e]+/g, "_")
    .slice(0, MAX_FIELD_LENGTH);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
