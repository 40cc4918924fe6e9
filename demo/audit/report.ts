/** Builds the report from the inspections: totals, the licence table, findings and packages ordered by weight. Pure. */
import { FINDING_KINDS } from "./inspect.ts";
import type { Finding, FindingKind, Inspection, Lockfile, Report, ReportRow, Severity } from "./types.ts";

/** Minimum weights. The heaviest finding determines the severity of a package; small ones do not add up. */
const HIGH_FROM = 60;
const MEDIUM_FROM = 25;

export function buildReport(
  lockfile: Pick<Lockfile, "project" | "lockfileVersion">,
  inspections: readonly Inspection[],
): Report {
  const all = inspections.flatMap((inspection) => inspection.findings);
  const licenses = countLicenses(inspections);
  return {
    project: lockfile.project,
    lockfileVersion: lockfile.lockfileVersion,
    totals: {
      packages: inspections.length,
      dev: inspections.filter((inspection) => inspection.dev).length,
      licenses: licenses.length,
      flagged: inspections.filter((inspection) => inspection.findings.length > 0).length,
      findings: all.length,
    },
    licenses,
    findings: countFindings(all),
    rows: inspections
      .map(toRow)
      .sort(
        (left, right) => right.weight - left.weight || byText(left.name, right.name) || byText(left.path, right.path),
      ),
  };
}

export function severityOf(findings: readonly Finding[]): Severity {
  const heaviest = Math.max(0, ...findings.map((finding) => finding.weight));
  if (heaviest >= HIGH_FROM) return "high";
  if (heaviest >= MEDIUM_FROM) return "medium";
  return heaviest > 0 ? "low" : "none";
}

function toRow(inspection: Inspection): ReportRow {
  const { path, name, version, license, dev, findings } = inspection;
  return {
    path,
    name,
    version,
    license,
    dev,
    weight: findings.reduce((sum, finding) => sum + finding.weight, 0),
    severity: severityOf(findings),
    notes: findings.map((finding) => finding.message),
  };
}

function countLicenses(inspections: readonly Inspection[]): Report["licenses"] {
  const counts = new Map<string, number>();
  for (const { license } of inspections) counts.set(license, (counts.get(license) ?? 0) + 1);
  return [...counts]
    .map(([license, packages]) => ({ license, packages }))
    .sort((left, right) => right.packages - left.packages || byText(left.license, right.license));
}

/** A package has at most one finding of a kind, so the count of findings is also the count of packages. */
function countFindings(findings: readonly Finding[]): Report["findings"] {
  const counts = new Map<FindingKind, number>();
  for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .map(([kind, packages]) => ({ kind, ...FINDING_KINDS[kind], packages }))
    .sort((left, right) => right.weight - left.weight);
}

/** Unlike `localeCompare`, does not depend on the locale of the machine. */
function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
