import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findJsonProblem } from "./json-position.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const samples = [
  "",
  " ",
  "{}",
  "[]",
  "[1,2]",
  '{"a":{"b":[true,null,-1.5e3,"x\\u00e9"]}}',
  '{"a":1,}',
  "[1,]",
  "[1 2]",
  "{'a':1}",
  '{"a" 1}',
  '{"a":1',
  '{"a":1}}',
  '{"a":01}',
  '"open',
  '"tab\there"',
  "nul",
  "[,1]",
  "{]",
  "[}",
  '{"a":}',
  "1 1",
];

describe("The position of a JSON syntax error", () => {
  it("is found exactly in the texts that JSON.parse rejects", () => {
    for (const text of samples) assert.equal(findJsonProblem(text) === undefined, isJson(text), JSON.stringify(text));
  });

  it("is found in every truncation of a valid text", () => {
    const text = '{"a":{"b":[true,null,-1.5,"x"]},"c":""}';
    for (let end = 0; end < text.length; end++) {
      assert.deepEqual(findJsonProblem(text.slice(0, end))?.line, 1, `cut at ${end}`);
    }
  });

  it("is the line and column of the first invalid character, with the expected token", () => {
    assert.deepEqual(findJsonProblem('{\n  "a": 1\n  "b": 2\n}'), { line: 3, column: 3, expected: '"," or "}"' });
    assert.deepEqual(findJsonProblem("<html>"), { line: 1, column: 1, expected: "a value" });
    assert.deepEqual(findJsonProblem("[1,\n2"), { line: 2, column: 2, expected: '"," or "]"' });
  });

  it("is found in a text nested 200,000 levels deep without exhausting the stack", () => {
    assert.equal(findJsonProblem("[".repeat(200_000))?.column, 200_001);
  });
});
