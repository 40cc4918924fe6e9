/** Secrets, tokens, signatures and keys are compared in constant time (src/platform/security/secrets.ts), because `===` leaks timing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceFiles, withoutComments, type SourceFile } from "./source.ts";

/** The endings of names of secrets. */
const SECRET = "[\\w.#?]*(?:secret|token|signature|apiKey|password|digest|hmac)";
/** A check for presence leaks nothing. */
const HARMLESS = /(?:undefined|null|""|'')$/;
const VALUE = "[\\w.#\"']+";
const COMPARED = new RegExp(`${SECRET}\\s*[!=]==?\\s*(${VALUE})|(${VALUE})\\s*[!=]==?\\s*${SECRET}\\b`, "gi");

function comparisons(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(COMPARED)]
      .filter(([, right, left]) => !HARMLESS.test(right ?? left ?? ""))
      .map(([found]) => `${path}: ${found}`),
  );
}

describe("secrets", () => {
  it("are never compared by ===", () => {
    assert.deepEqual(comparisons(sourceFiles("src")), []);
  });

  it("are checked: a comparison by === is detected, a check for presence is allowed", () => {
    const planted = (text: string): number => comparisons([{ path: "src/planted.ts", text }]).length;
    assert.equal(planted("if (given === config.secret) return;"), 1);
    assert.equal(planted("if (csrfToken !== expected) throw error;"), 1);
    assert.equal(planted("return signature == sign(key);"), 1);
    assert.equal(planted('if (config.execApiKey === undefined || token === "") return;'), 0);
    assert.equal(planted("// token === other"), 0);
  });
});
