/**
 * No row of seed and contract is forgotten: each stands in the name of a test in a file of its section. Proves that names have the
 * words, and nothing of what those tests do: that is for whoever reads them.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { OPEN, SECTIONS, type Section } from "./rows.ts";

/** From `out/test/contract` to the sources, where names stand as they were written. */
const SOURCES = fileURLToPath(new URL("../../../test", import.meta.url));

const TEST = /\bit\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** Names of the tests in a source; of a template all but what is put into it. */
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

describe("every row has a test that says its words", () => {
  for (const section of SECTIONS) {
    it(section.title, () => {
      assert.deepEqual(missingRows(section.rows, namesOf(section)), []);
    });
  }

  it("rows that are open have none", () => {
    const names = SECTIONS.flatMap(namesOf);
    const rows = OPEN.map(({ row }) => row);
    assert.deepEqual(missingRows(rows, names), rows);
  });

  it("sees a row that is missing", () => {
    const names = testNames(`it("one row: as it says", …); it(\`another \${x}\`, …); it(\n  'a "quoted" row', …);`);
    const rows = ["one row", "another ", 'a "quoted" row', "forgotten"];
    assert.deepEqual(missingRows(rows, names), ["forgotten"]);
  });
});
