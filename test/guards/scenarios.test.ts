/** Each scenario of test/scenarios has its row in docs/reference/engines.md, and each row that claims to be tested has its test. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root, sourceFiles } from "./source.ts";

const RESULTS = ["works", "differs", "not supported"] as const;
type Result = (typeof RESULTS)[number];

interface Row {
  /** Name of the engine in the heading, in lower case as in test names. */
  engine: string;
  scenario: string;
  source: string;
  result: string;
  why: string;
}

/** Rows of four cells below headings, such as `| scenario | source | works | |`. */
function rowsOf(page: string): Row[] {
  return page.split(/^## /m).flatMap((section) => {
    const engine = section.split("\n", 1)[0]?.toLowerCase() ?? "";
    const cells = section.split("\n").map((line) => /^\| (.+?) \| (.+?) \| (.+?) \|(.*)\|$/.exec(line)?.slice(1) ?? []);
    return cells
      .filter(([scenario]) => scenario !== undefined && scenario !== "Scenario" && !scenario.startsWith("---"))
      .map(([scenario = "", source = "", result = "", why = ""]) => ({
        engine,
        scenario,
        source,
        result,
        why: why.trim(),
      }))
      .filter(() => engine !== "overview");
  });
}

/** Full names of the tests in a file: `temporal › signals are kept`. */
function testsOf(text: string): string[] {
  const engine = /^describe\("(.+)", /m.exec(text)?.[1] ?? "";
  return [...text.matchAll(/^ {2}it\("(.+?)", /gm)].map(([, title]) => `${engine} › ${title}`);
}

function problemsOf(page: string, tests: readonly string[]): string[] {
  const rows = rowsOf(page);
  const names = rows.map(({ engine, scenario }) => `${engine} › ${scenario}`);
  const claimed = new Set(names.filter((_, at) => rows[at]?.result !== "not supported"));
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two rows: ${name}`),
    ...tests.filter((test, at) => tests.indexOf(test) !== at).map((test) => `two tests: ${test}`),
    ...tests.filter((test) => !claimed.has(test)).map((test) => `no row: ${test}`),
    ...[...claimed].filter((name) => !tests.includes(name)).map((name) => `no test: ${name}`),
    ...rows.flatMap(({ scenario, result, why }) => {
      if (!RESULTS.includes(result as Result)) return [`unknown result "${result}": ${scenario}`];
      return (result === "works") === (why === "") ? [] : [`reason: ${scenario}`];
    }),
    ...countsOf(rows)
      .filter((line) => !page.includes(line))
      .map((line) => `the overview lacks: ${line}`),
  ];
}

/** Lines of the overview: each engine with the number of its rows by result, and the sum. */
function countsOf(rows: readonly Row[]): string[] {
  const count = (of: readonly Row[]): string =>
    RESULTS.map((result) => of.filter((row) => row.result === result).length).join(" | ");
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  return [
    ...engines.map(
      (engine) =>
        `(#${engine.replaceAll(/[ .]/g, (sign) => (sign === " " ? "-" : ""))}) | ${count(rows.filter((row) => row.engine === engine))} |`,
    ),
    `| Total | ${count(rows)} |`,
  ];
}

const page = readFileSync(join(root, "docs/reference/engines.md"), "utf8");
const tests = sourceFiles("test/scenarios", { tests: true }).flatMap(({ text }) => testsOf(text));

describe("the table of scenarios", () => {
  it("has a row for each test, a test for each row, a reason for each difference, and correct counts", () => {
    assert.deepEqual(problemsOf(page, tests), []);
  });

  it("has at least 150 scenarios with tests, from seven engines", () => {
    assert.ok(tests.length >= 150, `${tests.length} tests`);
    assert.equal(new Set(rowsOf(page).map(({ engine }) => engine)).size, 7);
  });

  it("is checked: rows and tests without each other, a missing reason and a wrong count are detected", () => {
    const scenario = rowsOf(page).find(({ result }) => result === "differs")?.scenario ?? "";
    const row = page.split("\n").find((line) => line.startsWith(`| ${scenario} |`)) ?? "";
    const planted = page
      .replace(row, row.replace(/\| differs \|.*\|$/, "| differs | |"))
      .replace("\n## ", "\n| a fact nobody tests | a.ts › b | works | |\n\n## ")
      .replace("| Total |", "| Sum |");
    const found = problemsOf(planted, [...tests, "temporal › a planted test"]);
    for (const problem of ["no row: temporal › a planted test", `reason: ${scenario}`])
      assert.ok(found.includes(problem), problem);
    assert.ok(found.some((problem) => problem.startsWith("the overview lacks: | Total |")));
  });

  it("is checked: a row without its test and an unknown result are detected", () => {
    const [first = "", ...others] = tests;
    assert.deepEqual(problemsOf(page, others), [`no test: ${first}`]);
    const engine = "\n## Temporal\n\n| a | b.ts › c | perhaps | |\n";
    assert.ok(problemsOf(engine, []).includes('unknown result "perhaps": a'));
  });
});
