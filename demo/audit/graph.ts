/** The graph `audit` and its three workers: parse, inspect for each package, report. The other files of this folder contain the rules. */
import { graph, worker } from "svckit/graph";
import { requireInput } from "./input.ts";
import { inspectPackage } from "./inspect.ts";
import { installedLicense } from "./installed.ts";
import { parseLockfile } from "./lockfile.ts";
import { project } from "./project.ts";
import { buildReport } from "./report.ts";
import type { Inspection, LockedPackage, Lockfile, Report } from "./types.ts";

/** Input of the graph: the text of a package-lock.json, or its parsed object. */
export type AuditInput = { lockfile: unknown };

export const parse = worker("parse", (input: AuditInput): Lockfile => {
  requireInput(input, 'an object with a "lockfile": the text of a package-lock.json, or its parsed object', [
    "lockfile",
  ]);
  return parseLockfile(input.lockfile);
});

export const inspect = worker(
  "inspect",
  { concurrency: 16, timeout: "30s" },
  async (locked: LockedPackage): Promise<Inspection> => {
    requireInput(locked, "a package from parse", ["path", "name", "version", "license", "source", "versions"]);
    const installed = locked.license === null ? await installedLicense(project, locked) : null;
    return inspectPackage(locked, installed);
  },
);

export const report = worker("report", (done: { parse: Lockfile; inspect: Inspection[] }): Report => {
  requireInput(done, "the results of parse and inspect", ["parse", "inspect"]);
  return buildReport(done.parse, done.inspect);
});

export const audit = graph<AuditInput, Report>("audit", (g) => {
  const lockfile = g.node("parse", parse);
  const inspections = g.map("inspect", inspect, lockfile, (read) => read.packages);
  return g.node("report", report, { after: [lockfile, inspections] });
});
