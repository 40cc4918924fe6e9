/** Finds the problems of one package entry. Pure; installed.ts reads the file system. */
import { licenceClass } from "./licence.ts";
import type { Finding, FindingKind, Inspection, LockedPackage } from "./types.ts";

/** Name and weight of each kind. Weights from 60 are of high severity, from 25 of medium (see report.ts). */
export const FINDING_KINDS: Readonly<Record<FindingKind, { title: string; weight: number }>> = {
  "insecure-source": { title: "Fetched without encryption", weight: 80 },
  "install-script": { title: "Runs a script at install", weight: 60 },
  "no-integrity": { title: "No integrity hash", weight: 50 },
  deprecated: { title: "Deprecated", weight: 40 },
  "strong-copyleft": { title: "Strong copyleft licence", weight: 35 },
  "no-license": { title: "Licence unknown", weight: 30 },
  "git-source": { title: "Fetched from git", weight: 25 },
  "weak-copyleft": { title: "Weak copyleft licence", weight: 10 },
  duplicate: { title: "Several versions", weight: 5 },
};

/** @param installedLicense licence in the installed package.json, for packages whose lockfile entry has none. */
export function inspectPackage(locked: LockedPackage, installedLicense: string | null): Inspection {
  const license = locked.license ?? installedLicense ?? "unknown";
  const findings = [...supplyFindings(locked), ...licenceFindings(license), ...upkeepFindings(locked)];
  return {
    path: locked.path,
    name: locked.name,
    version: locked.version,
    license,
    dev: locked.dev,
    findings: findings.sort((left, right) => right.weight - left.weight),
  };
}

function supplyFindings(locked: LockedPackage): Finding[] {
  const found: Finding[] = [];
  if (locked.source === "insecure") found.push(finding("insecure-source", "is fetched over plain http"));
  if (locked.source === "git") found.push(finding("git-source", "comes from a git repository, not a registry"));
  if (locked.hasInstallScript) found.push(finding("install-script", "runs a script when it is installed"));
  // A git commit identifies its content, a project file needs no hash, and the parent's hash covers a bundled package.
  const needsHash = !locked.bundled && locked.source !== "git" && locked.source !== "file";
  if (needsHash && !locked.hasIntegrity)
    found.push(finding("no-integrity", "has no hash, so a changed tarball passes"));
  return found;
}

function licenceFindings(license: string): Finding[] {
  const bound = licenceClass(license);
  if (bound === "permissive") return [];
  if (bound === "unknown") {
    return [finding("no-license", license === "unknown" ? "names no licence" : `has the licence "${license}"`)];
  }
  return [finding(bound, `is under ${license}`)];
}

function upkeepFindings(locked: LockedPackage): Finding[] {
  const found: Finding[] = [];
  if (locked.deprecated !== null) found.push(finding("deprecated", `is deprecated: ${shorten(locked.deprecated)}`));
  if (locked.versions.length > 1) {
    found.push(finding("duplicate", `is locked in ${locked.versions.length} versions: ${locked.versions.join(", ")}`));
  }
  return found;
}

function finding(kind: FindingKind, message: string): Finding {
  return { kind, weight: FINDING_KINDS[kind].weight, message };
}

/** Deprecation messages are free text by package authors and can be pages long. */
function shorten(prose: string): string {
  return prose.length > 140 ? `${prose.slice(0, 139)}…` : prose;
}
