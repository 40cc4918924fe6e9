/** Fields of forms as objects: what is placed comes back, and nothing that is sent can do more than be refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SvcError } from "../../index.ts";
import { stepsOf, treeOf, type FieldKind } from "./form-tree.ts";

type Value = string | Value[] | { [name: string]: Value };

/** Names that a form may have: any but those with marks of their own meaning, and those that reach prototypes. */
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

/** As a form would name each text in it. */
function fieldsOf(value: Value, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, at) => fieldsOf(item, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, path === "" ? key : `${path}.${key}`));
}

describe("fields of a form", () => {
  it("become the object that they were named after, in whatever order they come", () => {
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

  it("are an object or a refusal, and never reach a prototype", () => {
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

  it("are numbers where they are said to be, and text where they are none", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const { n } = treeOf([["n", String(number)]], { n: "number" });
        // As text it has no sign when it is zero.
        assert.ok(Object.is(n, number === 0 ? 0 : number));
      }),
    );
    const made = (text: string): unknown => treeOf([["n", text]], { n: "number" })["n"];
    assert.deepEqual([made("12"), made(" -1.5e3 "), made(".5"), made("007")], [12, -1500, 0.5, 7]);
    assert.deepEqual([made("0x10"), made("Infinity"), made("1,5"), made("many")], ["0x10", "Infinity", "1,5", "many"]);
    assert.deepEqual(Object.keys(treeOf([["n", " "]], { n: "number" })), []);
  });

  it("are true or false where they are said to be, false where they are not sent, in each item of a list too", () => {
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

  it("are lists where they are said to be or their name says so, of one and of none too", () => {
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

  it("of one name that is no list: the last counts, as browsers mean a hidden field before a box", () => {
    assert.deepEqual(
      treeOf([
        ["a", "0"],
        ["a", "1"],
      ]),
      { a: "1" },
    );
  });

  it("have names of 32 levels at most", () => {
    assert.equal(stepsOf(`a${".b".repeat(31)}`).steps.length, 32);
    assert.throws(() => stepsOf(`a${".b".repeat(32)}`), /nested over 32 levels/);
  });
});
