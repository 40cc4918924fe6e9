/** Form fields converted to objects: valid fields keep their values, and any other input is only rejected. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SvcError } from "../../index.ts";
import { stepsOf, treeOf, type FieldKind } from "./form-tree.ts";

type Value = string | Value[] | { [name: string]: Value };

/** Valid field names: no characters with a special meaning, and no names that reach prototypes. */
const name = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((text) => !/[.[\]]/.test(text) && !["__proto__", "constructor", "prototype"].includes(text));

const { tree } = fc.letrec<{ tree: { [name: string]: Value }; value: Value }>((tie) => ({
  tree: fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.string(),
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    tie("tree"),
  ),
}));

/** Names each text as a form would. */
function fieldsOf(value: Value, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, at) => fieldsOf(item, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, path === "" ? key : `${path}.${key}`));
}

describe("fields of a form", () => {
  it("become the object that their names describe, in any order", () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat()), (value, places) => {
        const fields = fieldsOf(value)
          .map((field) => ({ field, place: places.next().value ?? 0 }))
          .sort((left, right) => left.place - right.place)
          .map(({ field }) => field);
        assert.deepEqual(treeOf(fields), value);
      }),
    );
  });

  it("result in an object or an error, and never reach a prototype", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      ".",
      "[",
      "]",
      "[]",
      "[0]",
      "[1]",
      "__proto__",
      "constructor",
      "prototype",
      "",
    );
    const anyName = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(anyName, fc.string()), { maxLength: 6 }), (fields) => {
        try {
          const made = treeOf(fields, { a: "strings", "b[].a": "boolean" });
          assert.equal(Object.getPrototypeOf(made), Object.prototype);
          assert.doesNotMatch(JSON.stringify(made), /"(?:__proto__|constructor|prototype)":/);
        } catch (error) {
          assert.ok(error instanceof SvcError && error.status === 422, String(error));
        }
        assert.deepEqual(Object.keys(Object.prototype), []);
      }),
    );
  });

  it("of kind number become numbers, and stay text if they are not numeric", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const { n } = treeOf([["n", String(number)]], { n: "number" });
        // The text of negative zero has no sign.
        assert.ok(Object.is(n, number === 0 ? 0 : number));
      }),
    );
    const made = (text: string): unknown => treeOf([["n", text]], { n: "number" })["n"];
    assert.deepEqual([made("12"), made(" -1.5e3 "), made(".5"), made("007")], [12, -1500, 0.5, 7]);
    assert.deepEqual([made("0x10"), made("Infinity"), made("1,5"), made("many")], ["0x10", "Infinity", "1,5", "many"]);
    assert.deepEqual(Object.keys(treeOf([["n", " "]], { n: "number" })), []);
  });

  it("of kind boolean become booleans, false if not sent, also in each item of a list", () => {
    const kinds = { agree: "boolean", "items[].done": "boolean", "more.news": "boolean" } as const;
    assert.deepEqual(treeOf([["agree", "on"]], kinds), { agree: true, more: { news: false } });
    assert.deepEqual(
      treeOf(
        [
          ["items[0].name", "a"],
          ["items[1].done", "yes"],
        ],
        kinds,
      ),
      {
        agree: false,
        items: [{ name: "a", done: false }, { done: true }],
        more: { news: false },
      },
    );
  });

  it("become lists by their kind or a name with [], also with one or no value", () => {
    const kinds: Record<string, FieldKind> = { tags: "strings", sizes: "numbers" };
    assert.deepEqual(
      treeOf(
        [
          ["tags", "a"],
          ["sizes", "1"],
          ["sizes", "2"],
          ["more[]", "x"],
        ],
        kinds,
      ),
      {
        tags: ["a"],
        sizes: [1, 2],
        more: ["x"],
      },
    );
    assert.deepEqual(treeOf([], kinds), { tags: [], sizes: [] });
  });

  it("that share a name but are not a list keep the last value, so a hidden field can precede a checkbox", () => {
    assert.deepEqual(
      treeOf([
        ["a", "0"],
        ["a", "1"],
      ]),
      { a: "1" },
    );
  });

  it("may be nested 32 levels deep at most", () => {
    assert.equal(stepsOf(`a${".b".repeat(31)}`).steps.length, 32);
    assert.throws(() => stepsOf(`a${".b".repeat(32)}`), /nested over 32 levels/);
  });
});
