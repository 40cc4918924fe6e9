import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { attributeText, parseAttributeFilter } from "./attribute-text.ts";

describe("the text of conditions on attributes", () => {
  it("has values and bounds, separated by spaces", () => {
    assert.deepEqual(parseAttributeFilter('plan=pro  cents>=500 cents<1e3 isTrial=false name="Ada \\"L\\"" id="7"'), {
      plan: "pro",
      cents: { gte: 500, lt: 1000 },
      isTrial: false,
      name: 'Ada "L"',
      id: "7",
    });
    assert.deepEqual(parseAttributeFilter(" a.b-c=x=y "), { "a.b-c": "x=y" });
    assert.deepEqual(parseAttributeFilter(""), {});
  });

  it("is rejected with the part that is wrong", () => {
    for (const [text, pattern] of [
      ["plan", /is "plan" where a condition is expected, such as plan=pro/],
      ["name=Ada L", /is "L" where .* needs double quotes/],
      ["plan=", /is "plan=" where/],
      ['plan="pro', /is "plan=\\"pro" where|is "plan="pro" where/],
      ["1a=2", /is "1a=2"/],
      ["plan>pro", /compares "plan" with pro, not a number/],
      ["plan=a plan=b", /two conditions on "plan"/],
      ["n>1 n>2", /two conditions on "n" that can't be combined/],
      ["n=1 n>2", /can't be combined/],
      ['n="\\x"', /not a text in double quotes/],
    ] as const)
      assert.throws(() => parseAttributeFilter(text), pattern, text);
  });

  it("returns every value that was written as text", () => {
    const value = fc.oneof(
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.string({ unit: fc.constantFrom("a", "Z", "7", " ", "=", "<", '"', "\\", "ž", "🎈") }),
      fc.constantFrom("true", "7", "-1e3", '"', "a b", "<"),
    );
    fc.assert(
      fc.property(value, value, (a, b) => {
        const text = `${attributeText("a", a)} ${attributeText("b.c", b)}`;
        assert.deepEqual(parseAttributeFilter(text), { a, "b.c": b });
      }),
    );
    assert.equal(attributeText("plan", "pro"), "plan=pro");
    assert.equal(attributeText("plan", "5"), 'plan="5"');
  });
});
