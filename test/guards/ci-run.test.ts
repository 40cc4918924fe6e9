/** The report of `.ci/run`: the test replaces every program that it calls by one that does nothing, so that only its counting remains. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(import.meta.url), "../../../..");
const folder = mkdtempSync(join(tmpdir(), "svc-ci-"));

/** Creates a program that takes precedence over the system's program of the same name. */
function plant(name: string, script: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** Prints the counts of the programs that `.ci/run` adds up. */
const COUNTS = 'case "$*" in *test/browsers/*|*runtimes/matrix.js) echo "1 passed, 0 failed" ;; esac';

/** @param tests the script of `npm test`. @param others the script of all other programs. @param more variables of the caller */
function ci(
  tests: string,
  others = `${COUNTS}; exit 0`,
  more: NodeJS.ProcessEnv = {},
): { lines: string[]; status: number | null } {
  for (const name of [
    "node",
    "npx",
    "go",
    "php",
    "ruby",
    "pg_config",
    "nginx",
    "haproxy",
    "caddy",
    "firefox-esr",
    "WebKitWebDriver",
    "Xvfb",
  ])
    plant(name, others);
  plant("npm", `[ "$1" = test ] || { ${others}; }\n${tests}`);
  const env = { ...process.env, ...more, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
  const { stdout, status } = spawnSync("bash", [join(root, ".ci/run")], { env, encoding: "utf8", timeout: 60_000 });
  return { lines: stdout.trim().split("\n"), status };
}

const counted = (lines: readonly string[]): string[] =>
  /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? "")?.slice(1) ?? [];

describe(".ci/run", { skip: process.platform === "win32" && "is a script of bash" }, () => {
  after(() => rmSync(folder, { recursive: true }));

  it("succeeds when every step succeeds, with the sum of passed tests", () => {
    const { lines, status } = ci('echo "3 passed, 0 failed"');
    const steps = lines.filter((line) => line.startsWith("ok ")).length;
    assert.deepEqual(counted(lines), [String(3 + steps), "0"], lines.join("\n"));
    assert.equal(status, 0);
  });

  it("names unsteady tests above its last line, and succeeds", () => {
    const { lines, status } = ci('echo "unsteady: test/e2e/x"; echo "3 passed, 0 failed"');
    assert.equal(lines.at(-2), "unsteady: test/e2e/x");
    assert.equal(status, 0);
  });

  it("names stories of other browsers that passed at the second time above its last line", () => {
    const { lines, status } = ci(
      'echo "3 passed, 0 failed"',
      `case "$*" in *webkit) echo "unsteady: a story" ;; esac; ${COUNTS}; exit 0`,
    );
    assert.equal(lines.at(-2), "unsteady: a story");
    assert.equal(status, 0);
  });

  it("counts tests that fail", () => {
    const { lines, status } = ci('echo "3 passed, 2 failed"; exit 1');
    assert.equal(counted(lines)[1], "2");
    assert.notEqual(status, 0);
  });

  for (const [what, tests] of [
    ["exits with an error although no test failed", 'echo "3 passed, 0 failed"; exit 1'],
    ["ends without a last line", "echo nothing"],
  ] as const)
    it(`counts one more failure if npm test ${what}`, () => {
      const { lines, status } = ci(tests);
      assert.equal(counted(lines)[1], "1");
      assert.notEqual(status, 0);
    });

  describe("browser choice", () => {
    /** Records the variable for each run of browser stories in a file. `output` is the script of the search for the system's browser. */
    const browsers = (output: string): { chosen: string[]; lines: string[]; status: number | null } => {
      const notes = join(folder, "browsers");
      writeFileSync(notes, "");
      const note = `echo "$SVC_CHROMIUM" >> '${notes}'`;
      const others = `case "$*" in *system-browser.js) ${output} ;; "out/scripts/test.js e2e/") ${note} ;; esac; ${COUNTS}; exit 0`;
      const { lines, status } = ci(`${note}; echo "3 passed, 0 failed"`, others, { SVC_CHROMIUM: "/my/chrome" });
      return { chosen: readFileSync(notes, "utf8").split("\n").slice(0, -1), lines, status };
    };

    it("uses the browser of the README's commands for npm test, and the system's browser in a further step", () => {
      const { chosen, lines, status } = browsers("echo /usr/bin/chromium");
      assert.deepEqual(chosen, ["", "system"]);
      assert.ok(lines.some((line) => /^ok .*system's browser, \/usr\/bin\/chromium/.test(line)));
      assert.equal(status, 0);
    });

    it("uses only the browser of the README's commands if the system has none, and reports that", () => {
      const { chosen, lines, status } = browsers(":");
      assert.deepEqual(chosen, [""]);
      assert.ok(lines.includes("skipped browser stories in the system's browser: there is none"));
      assert.equal(status, 0);
    });

    it("counts a search that fails", () => {
      const { chosen, lines, status } = browsers("exit 1");
      assert.deepEqual(chosen, [""]);
      assert.equal(counted(lines)[1], "1");
      assert.notEqual(status, 0);
    });
  });

  it("counts stories and runtimes that end without their counts as failed", () => {
    const { lines, status } = ci('echo "3 passed, 0 failed"', "exit 0");
    assert.equal(counted(lines)[1], "3", lines.join("\n"));
    assert.notEqual(status, 0);
  });

  it("counts each step that fails, and shows its output", () => {
    const { lines, status } = ci('echo "3 passed, 0 failed"', '[ "$1" = ci ] && exit 0; echo why; exit 1');
    const steps = lines.filter((line) => line.startsWith("FAILED ")).length;
    assert.ok(steps > 10 && lines.includes("why"), lines.join("\n"));
    assert.equal(counted(lines)[1], String(steps));
    assert.notEqual(status, 0);
  });
});
