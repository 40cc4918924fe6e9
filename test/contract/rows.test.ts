/**
 * Every row of the seed and the contract appears in the name of a test, in a file of its section. This proves that the names
 * exist, not that the tests are right: that needs a reviewer.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { OPEN, SECTIONS, type Section } from "./rows.ts";

/** The sources, relative to `out/test/contract`: they contain the names as written. */
const SOURCES = fileURLToPath(new URL("../../../test", import.meta.url));

const TEST = /\bit\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** The names of the tests in a source. Of a template literal, only the literal text. */
function testNames(source: string): string[] {
  return [...source.matchAll(TEST)].map(([, double, single, template]) =>
    (double ?? single ?? template ?? "").replaceAll(/\\(.)/g, "$1"),
  );
}

function namesOf({ files }: Section): string[] {
  return files.flatMap((file) => testNames(readFileSync(join(SOURCES, `${file}.test.ts`), "utf8")));
}

function missingRows(rows: readonly string[], names: readonly string[]): string[] {
  return rows.filter((row) => !names.some((name) => name.includes(row)));
}

describe("a row of the seed or the contract", () => {
  for (const section of SECTIONS) {
    it(`is in the name of a test: ${section.title}`, () => {
      assert.deepEqual(missingRows(section.rows, namesOf(section)), []);
    });
  }

  it("is in no name while it is open", () => {
    const names = SECTIONS.flatMap(namesOf);
    const rows = OPEN.map(({ row }) => row);
    assert.deepEqual(missingRows(rows, names), rows);
  });

  it("is reported if it is missing", () => {
    const names = testNames(`it("one row: as it says", …); it(\`another \${x}\`, …); it(\n  'a "quoted" row', …);`);
    const rows = ["one row", "another ", 'a "quoted" row', "forgotten"];
    assert.deepEqual(missingRows(rows, names), ["forgotten"]);
  });
});
