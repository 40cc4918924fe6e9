/** The values that travel between the nodes of the audit. All of them are plain JSON: nodes are journaled. */

/** Where the tarball of a package comes from, read from `resolved`. */
export type Source = "registry" | "insecure" | "git" | "file" | "unknown";

/** One package of a lockfile: what `parse` hands to one `inspect`. */
export type LockedPackage = {
  /** Its key in the lockfile: `node_modules/a/node_modules/b`. */
  path: string;
  name: string;
  version: string;
  /** SPDX expression as the lockfile gives it; `null` when it doesn't. */
  license: string | null;
  dev: boolean;
  /** Shipped inside the tarball of another package, so it has no hash of its own. */
  bundled: boolean;
  hasIntegrity: boolean;
  hasInstallScript: boolean;
  /** The message of the deprecation; `null` when the package is not deprecated. */
  deprecated: string | null;
  source: Source;
  /** Every version of this name in the lockfile, oldest first. */
  versions: string[];
};

/** A lockfile, read. */
export type Lockfile = {
  project: string;
  lockfileVersion: number;
  packages: LockedPackage[];
};

export type FindingKind =
  | "insecure-source"
  | "install-script"
  | "no-integrity"
  | "deprecated"
  | "strong-copyleft"
  | "no-license"
  | "weak-copyleft"
  | "git-source"
  | "duplicate";

export type Finding = {
  kind: FindingKind;
  /** 1 to 100: how much it matters. Findings and packages are ordered by it. */
  weight: number;
  message: string;
};

/** What `inspect` found out about one package. */
export type Inspection = {
  path: string;
  name: string;
  version: string;
  /** SPDX expression, or "unknown". */
  license: string;
  dev: boolean;
  findings: Finding[];
};

export type Severity = "high" | "medium" | "low" | "none";

/** One row of the report's table. */
export type ReportRow = {
  path: string;
  name: string;
  version: string;
  license: string;
  dev: boolean;
  /** Sum of the weights of its findings. */
  weight: number;
  severity: Severity;
  /** The messages of its findings, heaviest first. */
  notes: string[];
};

/** What the graph gives in the end. */
export type Report = {
  project: string;
  lockfileVersion: number;
  totals: { packages: number; dev: number; licenses: number; flagged: number; findings: number };
  licenses: { license: string; packages: number }[];
  findings: { kind: FindingKind; title: string; weight: number; packages: number }[];
  /** Every package, heaviest first, then by name. */
  rows: ReportRow[];
};
