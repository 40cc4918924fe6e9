/** The papers name files that exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
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
  "docs/guide/README.md",
];

/** Paths in backticks or links that start with a folder of ours. */
function missingFiles(text: string): string[] {
  const named = text.matchAll(/[`(]((?:src|test|scripts|demo|docs)\/[\w./-]*\w)[`)]/g);
  return [...named].map((match) => match[1] as string).filter((file) => !existsSync(join(root, file)));
}

describe("papers", () => {
  it("name files that exist", () => {
    for (const paper of PAPERS) assert.deepEqual(missingFiles(readFileSync(join(root, paper), "utf8")), [], paper);
  });

  it("a planted file that does not exist is caught", () => {
    assert.deepEqual(missingFiles("see `src/app/planted.ts` and `src/app/app.ts`"), ["src/app/planted.ts"]);
  });
});
