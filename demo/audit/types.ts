/** Inputs and results of the audit's nodes. They are plain JSON, because svc stores them. */

/** Where the tarball of a package comes from, read from `resolved`. */
export type Source = "registry" | "insecure" | "git" | "file" | "unknown";

/** One package of a lockfile: the input of an `inspect` node. */
export type LockedPackage = {
  /** Its key in the lockfile: `node_modules/a/node_modules/b`. */
  path: string;
  name: string;
  version: string;
  /** SPDX expression in the lockfile; `null` if it has none. */
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

/** A parsed lockfile. */
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
  /** Importance from 1 to 100. Findings and packages are ordered by it. */
  weight: number;
  message: string;
};

/** Result of `inspect` for one package. */
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

/** Result of the graph. */
export type Report = {
  project: string;
  lockfileVersion: number;
  totals: { packages: number; dev: number; licenses: number; flagged: number; findings: number };
  licenses: { license: string; packages: number }[];
  findings: { kind: FindingKind; title: string; weight: number; packages: number }[];
  /** Every package, heaviest first, then by name. */
  rows: ReportRow[];
};
