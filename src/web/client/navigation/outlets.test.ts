import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outletsOf, sharedOutlet } from "./outlets.ts";

/** Parses `a(b())` into the comments of a layout `a` around a layout `b`. */
const marks = (text: string) =>
  [...text.matchAll(/(\w+)\(|\)|<(.*?)>/g)].map(([, key, other]) => ({
    data: other ?? (key === undefined ? "/svc:slot" : `svc:slot ${key}`),
  }));
const keys = (text: string) => outletsOf(marks(text)).map(({ key }) => key);

describe("outletsOf", () => {
  it("returns layouts outermost first and ignores other comments", () => {
    assert.deepEqual(keys("<1>a(<2>b(<eb>)<3>)<4>"), ["a", "b"]);
    assert.deepEqual(keys("<1>"), []);
  });

  it("returns the start and end comments of each layout", () => {
    const all = marks("a(b())");
    const [outer, inner] = outletsOf(all);
    assert.deepEqual([outer?.start, outer?.end, inner?.start, inner?.end], [all[0], all[3], all[1], all[2]]);
  });

  it("stops at a layout that shows its content twice", () => {
    assert.deepEqual(keys("a(b()b())"), ["a"]);
    assert.deepEqual(keys("a(b(c())b(c()))"), ["a"]);
    assert.deepEqual(keys("a()a()"), []);
    assert.deepEqual(keys("a()a()a()"), []);
  });

  it("returns no layouts if the comments do not pair up", () => {
    assert.deepEqual(keys("a("), []);
    assert.deepEqual(keys("a())"), []);
  });
});

describe("sharedOutlet", () => {
  const shared = (here: string, next: string) => sharedOutlet(outletsOf(marks(here)), outletsOf(marks(next)))?.key;

  it("returns the innermost layout for which both pages also share all outer layouts", () => {
    assert.equal(shared("a(b())", "a(b())"), "b");
    assert.equal(shared("a(b())", "a(c())"), "a");
    assert.equal(shared("a(b(x()))", "a(c(x()))"), "a");
    assert.equal(shared("a(b())", "a()"), "a");
    assert.equal(shared("a()", "a(b())"), "a");
  });

  it("returns undefined if the outermost layouts differ or a page has none", () => {
    assert.equal(shared("a(b())", "c(b())"), undefined);
    assert.equal(shared("", "a()"), undefined);
    assert.equal(shared("", ""), undefined);
  });
});
