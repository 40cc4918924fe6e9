import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "./errors.ts";
import { MAX_JSON_DEPTH, parseJson, requireFinite } from "./json.ts";

function refusal(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof SvcError);
    assert.equal(error.status, 422);
    return error.message;
  }
  return "accepted";
}

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("JSON from outside", () => {
  it("is parsed if it is plain", () => {
    assert.deepEqual(parseJson(`{"a":[1,null,"x",{"b":true}]}`), { a: [1, null, "x", { b: true }] });
  });

  it("is rejected if it is malformed", () => {
    for (const text of ["", "{", "{a:1}", "[1,]", "undefined", "NaN", "'x'"])
      assert.match(refusal(text), /^Invalid JSON/);
  });

  it(`may nest ${MAX_JSON_DEPTH} levels and no more`, () => {
    assert.equal(refusal(nested(MAX_JSON_DEPTH)), "accepted");
    assert.match(refusal(nested(MAX_JSON_DEPTH + 1)), /nested over 32/);
    assert.match(refusal(nested(200_000)), /nested over 32/);
  });

  it("is scanned for depth and number of values before a long text is parsed, outside of strings only", () => {
    const long = 20_000;
    const deep = (levels: number): string => `${"[".repeat(levels)}"${"x".repeat(long)}"${"]".repeat(levels)}`;
    assert.doesNotThrow(() => parseJson(deep(MAX_JSON_DEPTH)));
    assert.match(refusal(deep(MAX_JSON_DEPTH + 1)), /nested over 32 levels/);
    assert.match(refusal("[".repeat(long)), /nested over 32 levels/);
    assert.match(refusal(`${'{"a":'.repeat(long)}`), /nested over 32 levels/);
    const text = JSON.stringify(['[[[{{,,,"\\'.repeat(long), "\\", '"', { ",[": ['\\"'] }]);
    assert.deepEqual(parseJson(text, 10), JSON.parse(text));
    const items = JSON.stringify(Array(long).fill(1));
    assert.equal((parseJson(items, long + 1) as unknown[]).length, long);
    assert.throws(() => parseJson(items, long), /more than 20000 values/);
    assert.throws(() => parseJson(`[${"1,".repeat(long)}`, 100), /more than 100 values/);
    assert.match(refusal(`["${"x".repeat(long)}`), /Invalid JSON/);
    assert.match(refusal(`["${"x".repeat(long)}\\`), /Invalid JSON/);
  });

  it("is rejected with a number that is too large, with its place, where it is stored", () => {
    const stored = (text: string) => () => requireFinite(parseJson(text));
    assert.throws(stored("1e999"), /a number at \$ that is too large/);
    assert.throws(stored(`{"a":[1,-1e999]}`), /a number at \$\.a\[1\] that is too large/);
    assert.throws(stored(`{"input":${"1".repeat(400)}}`), { code: "SVC_INVALID", message: /at \$\.input that/ });
    assert.doesNotThrow(stored("[1.7976931348623157e308, 1e-999, null, {}]"));
  });

  it("is rejected with keys that reach prototypes, with their place", () => {
    assert.match(refusal(`{"a":{"__proto__":1}}`), /"__proto__" at \$\.a/);
    assert.match(refusal(`[{"constructor":{"prototype":{}}}]`), /"constructor" at \$\[0\]/);
    assert.match(refusal(`{"prototype":1}`), /"prototype" at \$/);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
