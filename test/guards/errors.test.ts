/** The error table and docs/errors.md list the same codes with the same statuses, and the code uses no others. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root, sourceFiles } from "./source.ts";

/** Code -> status (or "-") in the table of the source. */
function tableCodes(source: string): Map<string, string> {
  const table = source.slice(source.indexOf("export const ERRORS"), source.indexOf("} as const satisfies"));
  const rows = table.matchAll(/^ {2}(SVC\w+): \{(?: status: (\d+),)? family/gm);
  return new Map([...rows].map((row) => [row[1] as string, row[2] ?? "-"]));
}

/** Code -> status (or "-") in the headings `### CODE (422)` of the document. */
function documentedCodes(markdown: string): Map<string, string> {
  return new Map(
    [...markdown.matchAll(/^### (SVC\w+)(?: \((\d+)\))?(?: [a-z-]+)?$/gm)].map((row) => [
      row[1] as string,
      row[2] ?? "-",
    ]),
  );
}

function differences(table: Map<string, string>, documented: Map<string, string>): string[] {
  const all = new Set([...table.keys(), ...documented.keys()]);
  return [...all]
    .filter((code) => table.get(code) !== documented.get(code))
    .map((code) => `${code}: table ${table.get(code) ?? "lacks it"}, docs ${documented.get(code) ?? "lack it"}`);
}

const source = readFileSync(join(root, "src/platform/shared/errors.ts"), "utf8");
const markdown = readFileSync(join(root, "docs/errors.md"), "utf8");

describe("error codes", () => {
  it("are the same in the table and in docs/errors.md", () => {
    assert.ok(tableCodes(source).size > 20);
    assert.deepEqual(differences(tableCodes(source), documentedCodes(markdown)), []);
  });

  it("have the same names in the table and in docs/errors.md", () => {
    const documented = [...markdown.matchAll(/^### (SVC\d+) ([a-z-]+)$/gm)].map(([, code, name]) => `${code} ${name}`);
    const named = [...source.matchAll(/^ {2}(SVC\d+): \{ family: "\w+", name: "([a-z-]+)"/gm)];
    assert.deepEqual(
      documented,
      named.map(([, code, name]) => `${code} ${name}`),
    );
    assert.equal(named.length, [...source.matchAll(/^ {2}SVC\d+:/gm)].length, "every numbered code has a name");
  });

  it("are checked: an undocumented code and a wrong status are detected", () => {
    const planted = source.replace(
      "} as const satisfies",
      '  SVC_PLANTED: { family: "server" },\n} as const satisfies',
    );
    assert.deepEqual(differences(tableCodes(planted), documentedCodes(markdown)), [
      "SVC_PLANTED: table -, docs lack it",
    ]);
    assert.equal(
      differences(tableCodes(source.replace("status: 409", "status: 410")), documentedCodes(markdown)).length,
      1,
    );
  });

  it("are all used somewhere", () => {
    const text = sourceFiles("src")
      .filter((file) => file.path !== "src/platform/shared/errors.ts")
      .map((file) => file.text)
      .join("\n");
    assert.deepEqual(
      [...tableCodes(source).keys()].filter((code) => !text.includes(code)),
      [],
    );
  });
});
