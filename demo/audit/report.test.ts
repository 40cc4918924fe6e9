import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildReport, severityOf } from "./report.ts";
import type { Finding, Inspection } from "./types.ts";

const finding = (kind: Finding["kind"], weight: number): Finding => ({ kind, weight, message: kind });
const inspection = (name: string, findings: Finding[] = [], more: Partial<Inspection> = {}): Inspection => ({
  path: `node_modules/${name}`,
  name,
  version: "1.0.0",
  license: "MIT",
  dev: false,
  findings,
  ...more,
});
const lockfile = { project: "shop", lockfileVersion: 3 };
const script = finding("install-script", 60);
const duplicate = finding("duplicate", 5);

describe("The report", () => {
  const report = buildReport(lockfile, [
    inspection("b", [duplicate]),
    inspection("a", [duplicate], { license: "ISC", dev: true }),
    inspection("z", [script, duplicate]),
    inspection("clean"),
  ]);

  it("counts packages, licences and findings", () => {
    assert.deepEqual(report.totals, { packages: 4, dev: 1, licenses: 2, flagged: 3, findings: 4 });
  });

  it("orders packages by weight, then by name", () => {
    assert.deepEqual(
      report.rows.map((row) => [row.name, row.weight, row.severity]),
      [
        ["z", 65, "high"],
        ["a", 5, "low"],
        ["b", 5, "low"],
        ["clean", 0, "none"],
      ],
    );
  });

  it("orders findings by weight and counts the packages of each", () => {
    assert.deepEqual(
      report.findings.map((item) => [item.kind, item.packages]),
      [
        ["install-script", 1],
        ["duplicate", 3],
      ],
    );
  });

  it("orders licences by their number of packages", () => {
    assert.deepEqual(report.licenses, [
      { license: "MIT", packages: 3 },
      { license: "ISC", packages: 1 },
    ]);
  });

  it("is empty for an empty project", () => {
    assert.deepEqual(buildReport(lockfile, []).totals, { packages: 0, dev: 0, licenses: 0, flagged: 0, findings: 0 });
  });
});

describe("The severity of a package", () => {
  it("is that of its heaviest finding", () => {
    assert.equal(severityOf([script, duplicate]), "high");
    assert.equal(severityOf([finding("no-license", 30)]), "medium");
    assert.equal(severityOf(Array.from({ length: 20 }, () => duplicate)), "low");
    assert.equal(severityOf([]), "none");
  });
});
