/** Each promise of docs/promises.md and SECURITY.md names the tests that check it, and those tests exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

const PAGES = [
  { path: "docs/promises.md", heading: /^## /m },
  { path: "SECURITY.md", heading: /^### /m },
].map((page) => ({ ...page, text: readFileSync(join(root, page.path), "utf8") }));

/** Lines such as "- `src/x.test.ts`: "a fact"". */
function named(page: string): { file: string; test: string }[] {
  return [...page.matchAll(/^- `([\w/.-]+\.test\.ts)`: "(.+)"$/gm)].map(([, file = "", test = ""]) => ({ file, test }));
}

function missing(page: string): string[] {
  return named(page)
    .filter(({ file, test }) => !existsSync(join(root, file)) || !readFileSync(join(root, file), "utf8").includes(test))
    .map(({ file, test }) => `${file}: ${test}`);
}

describe("promises", () => {
  for (const { path, text, heading } of PAGES) {
    it(`of ${path} name existing tests`, () => {
      assert.deepEqual(missing(text), []);
    });

    it(`of ${path} have at least one test each`, () => {
      const bare = text
        .split(heading)
        .slice(1)
        .filter((part) => !part.startsWith("Not guaranteed") && named(part).length === 0);
      assert.deepEqual(bare, []);
      const lines = text.split("\n").filter((line) => line.startsWith("- "));
      assert.equal(named(text).length, lines.length, "a line names no test");
    });
  }

  it("are checked: a missing test is detected", () => {
    const planted = '- `src/graphs/engine/engine.test.ts`: "a fact nobody tests"\n- `src/gone.test.ts`: "is gone"';
    assert.equal(missing(planted).length, 2);
  });
});
