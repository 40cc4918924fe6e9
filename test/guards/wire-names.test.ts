/** Only src/platform/shared/wire.ts contains wire names (paths, headers, cookies, variables); the rest of src/ imports them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceFiles, withoutComments, type SourceFile } from "./source.ts";

const HOME = "src/platform/shared/wire.ts";

/** Inside a string: a built-in path, one of our headers or cookies, a Standard Webhooks header, a variable. */
const WIRE_NAME = /\/_svc\b|\bx-svc-|__svc-|\bwebhook-(?:id|timestamp|signature)\b/i;

function variables(): string[] {
  const home = sourceFiles("src/platform/shared").find((file) => file.path === HOME) as SourceFile;
  return [...home.text.matchAll(/"(SVC_[A-Z_]+)"/g)].map((match) => match[1] as string);
}

function wireLiterals(files: SourceFile[]): string[] {
  const names = new RegExp(`\\b(?:${variables().join("|")})\\b`);
  return files
    .filter((file) => file.path !== HOME)
    .flatMap((file) => {
      const strings =
        withoutComments(file.text).match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
      return strings
        .filter((text) => WIRE_NAME.test(text) || names.test(text))
        .map((text) => `${file.path}: ${text.slice(0, 80)}`);
    });
}

describe("wire names", () => {
  it("appear in shared/wire.ts only", () => {
    assert.deepEqual(wireLiterals(sourceFiles("src")), []);
  });

  it("are detected elsewhere (a path, a header, a cookie, a variable), except in comments", () => {
    const planted = {
      path: "src/app/planted.ts",
      text: `// "/_svc/x" may appear here\nconst a = "/_svc/loader.js", b = 'X-Svc-Signature', c = \`__svc-csrf\`, d = "SVC_SECRET";`,
    };
    assert.equal(wireLiterals([planted]).length, 4);
  });
});
