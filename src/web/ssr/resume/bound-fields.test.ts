import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "../../reactivity/signal.ts";
import { chosen, kept, options } from "./bound-fields.ts";

describe("bound fields", () => {
  it("accept only signals", () => {
    assert.equal(kept(signal(0)), 0);
    for (const other of ["x", null, undefined, { value: 1 }]) assert.throws(() => kept(other), { code: "SVC110" });
  });

  it("are checked in a group if their value matches as text", () => {
    assert.deepEqual(
      [chosen("1", 1), chosen(["a", "b"], "b"), chosen([], ""), chosen(null, "x")],
      [" checked", " checked", "", ""],
    );
  });
});

describe("options of a bound select", () => {
  it("are selected by value, or else by text with collapsed white space", () => {
    const html =
      '<option value="a">A</option><optgroup label="b"><option class="x>y" value="b" disabled>B</option></optgroup><option> c \n d </option><option value>e</option>';
    assert.match(options("a", html), /^<option selected value="a">A/);
    assert.match(options("b", html), /<option selected class="x>y" value="b" disabled>/);
    assert.match(options("c d", html), /<option selected> c/);
    assert.match(options("", html), /<option selected value>/);
    assert.match(options(undefined, html), /<option selected value>/);
    assert.equal(options("A", html), html);
    assert.equal(options(["a", "b"], html).match(/ selected/g)?.length, 2);
  });

  it("match by their unescaped value", () => {
    assert.equal(
      options('"<&', '<option value="&quot;&lt;&amp;">x</option>'),
      '<option selected value="&quot;&lt;&amp;">x</option>',
    );
    assert.equal(options("<&", "<option>&lt;&amp;</option>"), "<option selected>&lt;&amp;</option>");
  });
});
