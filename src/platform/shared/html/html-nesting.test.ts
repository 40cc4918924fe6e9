import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nestingProblem } from "./html-nesting.ts";

const problem = (path: string): string | undefined => {
  const tags = path.split(">");
  return nestingProblem(tags.at(-1) ?? "", tags.slice(0, -1));
};

describe("nesting", () => {
  it("is refused if the parser would repair it: blocks in p, misplaced table parts, elements in themselves", () => {
    const bad = [
      "p>div",
      "p>span>ul",
      "p>b>table",
      "table>tr",
      "table>div",
      "tbody>td",
      "tr>div",
      "div>tr",
      "div>td",
      "ul>tbody",
      "select>div",
      "a>b>a",
      "button>span>button",
      "form>div>form",
      "colgroup>div",
      "div>col",
      "form>table>tbody>tr>td>form",
      "li>li",
      "li>div>b>li",
      "dl>dt>dd",
      "h1>h2",
      "body",
      "div>head",
    ];
    assert.deepEqual(
      bad.filter((path) => problem(path) === undefined),
      [],
    );
  });

  it("is allowed if the parser keeps it", () => {
    const good = [
      "div",
      "tr",
      "td",
      "p>span",
      "p>a>b",
      "table>tbody>tr>td>p",
      "table>caption",
      "td>table",
      "li>p",
      "ul>li>ul>li",
      "select>optgroup>option",
      "select>button",
      "button>p",
      "p>button>div",
      "a>td>a",
      "template>tr",
      "table>thead>tr>th",
      "p>object>div",
      "li>section>li",
      "dd>dl>dt",
      "h1>span",
      "section>h1",
    ];
    assert.deepEqual(
      good.filter((path) => problem(path) !== undefined),
      [],
    );
  });

  it("is explained with the allowed elements", () => {
    assert.equal(
      problem("table>tr"),
      "<tr> can't be a direct child of <table>; the parser would move it. Put it into a <tbody>. Allowed there: caption, colgroup, thead, tbody, tfoot, script, template, style.",
    );
    assert.equal(problem("div>td"), "<td> must be a direct child of tr, not in <div>.");
  });
});
