/** The tests' reporter (scripts/reporter.ts): it names every failure, and a run with a failure never succeeds. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "./source.ts";

function reported(tests: string): { failed: string[]; counts: unknown; code: number | null } {
  const reporter = pathToFileURL(join(root, "out/scripts/reporter.js")).href;
  const args = ["--test-reporter", reporter, "--test-reporter-destination", "stdout", "--input-type=module", "--eval"];
  const code = `import { after, before, describe, it } from "node:test";\n${tests}`;
  const { stdout, status } = spawnSync(process.execPath, [...args, code], { encoding: "utf8" });
  const counts: unknown = JSON.parse(/^svc-test-counts (.*)$/m.exec(stdout)?.[1] ?? "null");
  return { failed: stdout.match(/(?<=^ {2}FAILED: ).*$/gm) ?? [], counts, code: status };
}

const OK = 'it("is fine", () => {});';

describe("the tests' reporter", () => {
  it("counts passed tests and prints nothing about them", () => {
    const { failed, counts, code } = reported(
      `describe("all", () => { ${OK} it("waits", { skip: "no" }, () => {}); });`,
    );
    assert.deepEqual({ failed, counts, code }, { failed: [], counts: { passed: 1, failed: 0, skipped: 1 }, code: 0 });
  });

  it("names a failed test once, and not its suite", () => {
    const { failed, counts } = reported(
      `describe("all", () => { ${OK} it("breaks", () => { throw new Error("no"); }); });`,
    );
    assert.equal(failed.length, 1);
    assert.match(failed[0] ?? "", /^all › breaks/);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  });

  it("names a test by every suite around it, also after another suite has ended", () => {
    const broken = 'it("breaks", () => { throw new Error("no"); });';
    const { failed } = reported(`describe("a", () => { describe("b", () => { ${OK} }); ${broken} }); ${broken}`);
    assert.deepEqual(
      failed.map((name) => name.replace(/ \(.*/, "")),
      ["a › breaks", "breaks"],
    );
  });

  it("names a suite whose hook fails", () => {
    const { failed, counts } = reported(`describe("all", () => { after(() => { throw new Error("no"); }); ${OK} });`);
    assert.match(failed.join(), /^all/);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  });

  it("names a test that throws after its end", () => {
    const late = 'it("leaves work", () => { setTimeout(() => { throw new Error("too late"); }, 1); });';
    const { failed, counts, code } = reported(`${late} it("continues", () => new Promise((r) => setTimeout(r, 50)));`);
    assert.match(failed.join(), /"leaves work".*too late/);
    assert.deepEqual({ counts, code }, { counts: { passed: 2, failed: 1, skipped: 0 }, code: 1 });
  });
});
