import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outletsOf, sharedOutlet } from "./outlets.ts";

/** `a(b())` -> marks of a layout a around one b. */
const marks = (text: string) =>
  [...text.matchAll(/(\w+)\(|\)|<(.*?)>/g)].map(([, key, other]) => ({
    data: other ?? (key === undefined ? "/svc:slot" : `svc:slot ${key}`),
  }));
const keys = (text: string) => outletsOf(marks(text)).map(({ key }) => key);

describe("layouts of a page", () => {
  it("are told outermost first, whatever other comments there are", () => {
    assert.deepEqual(keys("<1>a(<2>b(<eb>)<3>)<4>"), ["a", "b"]);
    assert.deepEqual(keys("<1>"), []);
  });

  it("have their marks", () => {
    const all = marks("a(b())");
    const [outer, inner] = outletsOf(all);
    assert.deepEqual([outer?.start, outer?.end, inner?.start, inner?.end], [all[0], all[3], all[1], all[2]]);
  });

  it("end where a layout shows its content twice", () => {
    assert.deepEqual(keys("a(b()b())"), ["a"]);
    assert.deepEqual(keys("a(b(c())b(c()))"), ["a"]);
    assert.deepEqual(keys("a()a()"), []);
    assert.deepEqual(keys("a()a()a()"), []);
  });

  it("are none where marks don't pair up", () => {
    assert.deepEqual(keys("a("), []);
    assert.deepEqual(keys("a())"), []);
  });
});

describe("what two pages share", () => {
  const shared = (here: string, next: string) => sharedOutlet(outletsOf(marks(here)), outletsOf(marks(next)))?.key;

  it("is the innermost layout that both have with all those around it", () => {
    assert.equal(shared("a(b())", "a(b())"), "b");
    assert.equal(shared("a(b())", "a(c())"), "a");
    assert.equal(shared("a(b(x()))", "a(c(x()))"), "a");
    assert.equal(shared("a(b())", "a()"), "a");
    assert.equal(shared("a()", "a(b())"), "a");
  });

  it("is nothing where the outermost differ, or there is none", () => {
    assert.equal(shared("a(b())", "c(b())"), undefined);
    assert.equal(shared("", "a()"), undefined);
    assert.equal(shared("", ""), undefined);
  });
});
