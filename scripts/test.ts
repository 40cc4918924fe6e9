/**
 * Runs every test of the compiled tree (`out/`), two groups at a time, and closes with `N passed, N failed`.
 *
 * Unit, guard, contract and scenario tests share one process per group (a process per file costs ten times the time);
 * browser and crash tests get a process per file, because they start servers and browsers of their own.
 *
 *   node out/scripts/test.js [filter…]     only files whose path contains one of the filters
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withoutAppLogs } from "./app-log-lines.js";
import { COUNTS_PREFIX, type Counts } from "./reporter.js";
import { testFiles } from "./test-files.js";
import { runAll, type Group } from "./test-turns.js";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const out = join(root, "out");

/**
 * Longest duration of a group's process. Only a hanging process reaches it: on two idle cores the unit tests, all in one process, need two
 * and a half minutes. Under a load of twenty, single files of browser stories need ten.
 */
const PROCESS_TIMEOUT_MS = 1_800_000;

/** Tests of single files need the package's entry points to be the same modules. All other tests use the published bundle. */
const AS_MODULES = ["--conditions=svc-modules"];

/** Two browser stories keep two processors busy; more would only delay each other. */
const MOST_AT_ONCE = Math.min(2, availableParallelism());

function groups(filters: string[]): Group[] {
  const files = testFiles(root).filter(
    (file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
  );
  const inside = (folder: string) => files.filter((file) => file.startsWith(join("test", folder) + sep));
  const alone = (folder: string): Group[] =>
    inside(folder).map((file) => ({ name: file.replace(/\.test\.js$/, ""), files: [file], isOfOneFile: true }));
  return [
    { name: "unit", files: files.filter((file) => !file.startsWith(`test${sep}`)) },
    { name: "guards", files: inside("guards") },
    { name: "contract", files: inside("contract") },
    { name: "scenarios", files: inside("scenarios") },
    ...alone("e2e"),
    // Other browsers than the packaged one, which few machines have: they run on request (CONTRIBUTING.md).
    ...(filters.some((filter) => filter.includes("browsers")) ? alone("browsers") : []),
    ...alone("chaos"),
    ...alone("fuzz"),
  ].filter((group) => group.files.length > 0);
}

/** Runs the files of a group in one process; a process that dies without its counts is one failure. */
function runGroup(group: Group): Promise<Counts> {
  // Static imports, so that all tests are declared before the first one runs. Later declarations would become part of the running test.
  const imports = [join(out, "scripts/fuzz-seed.js"), ...group.files.map((file) => join(out, file))].map(
    (file) => `import ${JSON.stringify(pathToFileURL(file).href)};`,
  );
  const child = spawn(
    process.execPath,
    [
      ...(group.name === "unit" ? AS_MODULES : []),
      "--enable-source-maps",
      "--disable-warning=ExperimentalWarning",
      "--test-reporter",
      pathToFileURL(join(out, "scripts/reporter.js")).href,
      "--test-reporter-destination",
      "stdout",
      "--input-type=module",
      "--eval",
      imports.join("\n"),
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_ENV: "test", SVC_TEST_RUN: String(process.pid) },
    },
  );
  const timer = setTimeout(() => child.kill("SIGKILL"), PROCESS_TIMEOUT_MS);
  let text = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  return new Promise((done) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const line = text.split("\n").findLast((candidate) => candidate.startsWith(COUNTS_PREFIX));
      let report = `${errors}${text.replace(line ?? "", "")}`.trimEnd();
      const counts = line
        ? (JSON.parse(line.slice(COUNTS_PREFIX.length)) as Counts)
        : { passed: 0, failed: 0, skipped: 0 };
      const died = code !== 0 && counts.failed === 0;
      if (died) report += `\n  FAILED: the process of "${group.name}" ended with ${signal ?? `code ${code}`}`;
      if (counts.failed === 0 && !died) report = withoutAppLogs(report);
      // One write, because another group may write too.
      if (report.trim() !== "") console.log(report);
      done({ ...counts, failed: counts.failed + (died ? 1 : 0) });
    });
  });
}

/** Runs a group and prints its result. */
async function runAloud(group: Group): Promise<Counts> {
  const startMs = performance.now();
  console.log(`${group.name} …`);
  const counts = await runGroup(group);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${group.name}: ${counts.passed} passed, ${counts.failed} failed in ${seconds} s`);
  return counts;
}

const { passed, failed, unsteady } = await runAll(groups(process.argv.slice(2)), runAloud, {
  atOnce: MOST_AT_ONCE,
  triesAgain: process.env["SVC_TEST_AGAIN"] === "1",
});
// State of test/e2e/once-per-run.ts for this run.
rmSync(join(out, `run-${process.pid}`), { recursive: true, force: true });
const hasNone = passed + failed === 0;
if (hasNone) console.log("No test file matches.");
for (const name of unsteady)
  console.log(`unsteady: ${name} failed next to others and passed alone; see its output above`);
console.log(`${passed} passed, ${failed + (hasNone ? 1 : 0)} failed`);
process.exitCode = failed === 0 && !hasNone ? 0 : 1;
