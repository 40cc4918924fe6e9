/** The documentation names files that exist. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

const PAPERS = [
  "ARCHITECTURE.md",
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "GLOSSARY.md",
  "docs/resume-protocol.md",
  "docs/bytes.md",
  "docs/promises.md",
  "docs/reference/http.md",
  "docs/reference/browsers.md",
  "docs/guide/README.md",
];

/** Paths in backticks or links that start with a folder of the repository. */
function missingFiles(text: string): string[] {
  const named = text.matchAll(/[`(]((?:src|test|scripts|demo|docs)\/[\w./-]*\w)[`)]/g);
  return [...named].map((match) => match[1] as string).filter((file) => !existsSync(join(root, file)));
}

describe("the documentation", () => {
  it("names files that exist", () => {
    for (const paper of PAPERS) assert.deepEqual(missingFiles(readFileSync(join(root, paper), "utf8")), [], paper);
  });

  it("is checked: a file that does not exist is detected", () => {
    assert.deepEqual(missingFiles("see `src/app/planted.ts` and `src/app/app.ts`"), ["src/app/planted.ts"]);
  });
});

/** Variables without a row in the table of docs/guide/running.md. */
function unreported(table: string): string[] {
  const reported = new Set(
    [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names = ""]) => names.match(/[A-Z_]+/g)),
  );
  return variables().filter((name) => !reported.has(name));
}

function variables(): string[] {
  const table = /export const VARIABLES = \{([^}]*)\}/.exec(
    readFileSync(join(root, "src/platform/shared/wire.ts"), "utf8"),
  );
  return [...(table?.[1] ?? "").matchAll(/"([A-Z_]+)"/g)].map(([, name = ""]) => name);
}

describe("the table of variables", () => {
  const table = readFileSync(join(root, "docs/guide/running.md"), "utf8");

  it("has a row for each variable", () => assert.deepEqual(unreported(table), []));

  it("is checked: a missing row is detected", () => {
    assert.deepEqual(unreported(table.replace(/^\| `SVC_SITE_URL` .*\n/m, "")), ["SVC_SITE_URL"]);
  });
});

/** Errors in the numbers of decisions. @param files the name and the first line of each */
function wrongNumbers(files: readonly (readonly [name: string, title: string])[]): string[] {
  const seen = new Map<string, string>();
  return files.flatMap(([name, title]) => {
    const number = name.slice(0, 3);
    const other = seen.get(number);
    seen.set(number, name);
    return [
      ...(other === undefined ? [] : [`${other} and ${name} have one number`]),
      ...(new RegExp(`^# ${number}\\b`).test(title) ? [] : [`${name} begins with "${title}"`]),
    ];
  });
}

describe("decisions", () => {
  it("have a unique number that is the same in name and title", () => {
    const folder = join(root, "docs/decisions");
    const titleOf = (name: string): string => readFileSync(join(folder, name), "utf8").split("\n", 1)[0] ?? "";
    assert.deepEqual(wrongNumbers(readdirSync(folder).map((name) => [name, titleOf(name)] as const)), []);
  });

  it("are checked: a duplicate number and a wrong title are detected", () => {
    const planted = [
      ["001-a.md", "# 001 A"],
      ["001-b.md", "# 002 B"],
    ] as const;
    assert.deepEqual(wrongNumbers(planted), [
      "001-a.md and 001-b.md have one number",
      '001-b.md begins with "# 002 B"',
    ]);
  });
});
