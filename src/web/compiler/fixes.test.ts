/** No message suggests a fix that fails: each mistake is refused with its code, and the program after each fix that its message names works. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { buildApp } from "./build/build.ts";
import { compileTsx, render, signal } from "./harness.testkit.ts";
import { APP_MISTAKES, RENDER_MISTAKES } from "./app-mistakes.testkit.ts";
import { MISTAKES } from "./mistakes.testkit.ts";
import { withTempApp } from "./temp-app.testkit.ts";

/** Props for all programs of the table. */
const PROPS = {
  x: 1,
  y: false,
  id: "a",
  n: signal(1),
  s: signal(1),
  name: signal("x"),
  l: [1, 2],
  list: [{ id: 1 }, { id: 2 }],
  rows: [],
  later: Promise.resolve(1),
};

/** A program that imports a file, which only a build finds, is compiled and not rendered. */
async function assertWorks(text: string): Promise<void> {
  compileTsx(text, { isDevelopment: true });
  if (/from "\.\//.test(text)) return;
  assert.notEqual(await render(text, PROPS, "A", { isDevelopment: true }), "");
}

describe("the fix of a mistake that a message names", () => {
  for (const [name, , code, , ...fixed] of MISTAKES)
    it(`works for ${name} (${code})`, async () => {
      for (const text of fixed) await assertWorks(text);
    });

  for (const { name, code, files, fixed } of APP_MISTAKES)
    it(`works for an app with ${name} (${code})`, async () => {
      await withTempApp(files, async ({ root }) => {
        await assert.rejects(buildApp({ root }), { code });
      });
      for (const change of fixed)
        await withTempApp({ ...files, ...change }, async ({ root }) => void (await buildApp({ root })));
    });

  for (const { name, code, text, fixed } of RENDER_MISTAKES)
    it(`works in development for ${name} (${code})`, async () => {
      await assert.rejects(render(text, PROPS, "A", { isDevelopment: true }), (error) => {
        assert.ok(error instanceof SvcError);
        assert.equal(error.code, code, error.message);
        return true;
      });
      for (const program of fixed) await assertWorks(program);
    });
});

/** @returns codes of errors that an author of an app can fix, and that no table of mistakes contains */
function codesWithoutMistake(documented: readonly string[], covered: readonly string[]): string[] {
  const known = new Set(covered);
  return documented.filter((code) => !known.has(code));
}

describe("every code of the compiler and of rendering", () => {
  const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^### (SVC[12]\d\d) /gm)].map(([, code = ""]) => code);
  const covered = [
    ...MISTAKES.map(([, , code]) => code),
    ...[...APP_MISTAKES, ...RENDER_MISTAKES].map(({ code }) => code),
  ];

  it("has a mistake with its fixes", () => {
    assert.ok(documented.length > 25);
    assert.deepEqual(codesWithoutMistake(documented, covered), []);
  });

  it("would be reported without one", () => {
    assert.deepEqual(codesWithoutMistake([...documented, "SVC199"], covered), ["SVC199"]);
  });
});
