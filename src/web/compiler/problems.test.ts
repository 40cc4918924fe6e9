import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { diagnostic } from "./diagnostics.ts";
import { compileError } from "./harness.testkit.ts";
import { Problems, splitMessage } from "./problems.ts";

/** The first lines of the errors in a message: code and position. */
const placesOf = (error: SvcError): string[] => splitMessage(error.message).map((text) => text.split("\n")[0] ?? "");

const FILE = { path: "pages/test.tsx", text: "one\ntwo\nthree\n" };
const at = (start: number, text = "It is wrong. Fix it.", code: "SVC101" | "SVC118" = "SVC101", file = FILE) =>
  diagnostic(file, code, { start, end: start + 3 }, text);

/** Errors that a step of the compiler has found. */
function found(...errors: SvcError[]): SvcError {
  const problems = new Problems();
  for (const error of errors) problems.add(error);
  const error = problems.take();
  assert.ok(error);
  return error;
}

describe("several errors", () => {
  it("are one error with the code of the first, sorted by position, with their count", () => {
    const error = found(at(8, "C."), at(0, "A.", "SVC118"), at(4, "B."));
    assert.equal(error.code, "SVC118");
    assert.equal(
      error.message,
      [
        "SVC118 pages/test.tsx:1:1\nA.\n\n> 1 | one\n    | ^^^\n  2 | two\n  3 | three\n\nSee SVC118 property-attribute in docs/errors.md.",
        "SVC101 pages/test.tsx:2:1\nB.\n\n  1 | one\n> 2 | two\n    | ^^^\n  3 | three\n  4 |\n\nSee SVC101 captured-let in docs/errors.md.",
        "SVC101 pages/test.tsx:3:1\nC.\n\n  1 | one\n  2 | two\n> 3 | three\n    | ^^^\n  4 |\n\nSee SVC101 captured-let in docs/errors.md.",
        "Fix 3 errors in pages/test.tsx.",
      ].join("\n\n"),
    );
  });

  it("stay as they are if there is only one", () => {
    const error = at(4);
    assert.equal(found(error), error);
    assert.equal(new Problems().take(), undefined);
  });

  it("of the same text are shown once with all positions", () => {
    const error = found(at(0), at(4), at(8), at(0, "Other."));
    assert.match(
      error.message,
      /^SVC101 pages\/test\.tsx:1:1\nIt is wrong\. Fix it\.\nAlso at pages\/test\.tsx:2:1, pages\/test\.tsx:3:1\.\n\n> 1/,
    );
    assert.match(error.message, /\n\nFix 3 errors in pages\/test\.tsx\.$/);
  });

  it("at one position are reported once, because the later one is a consequence", () => {
    const first = at(0, "First.");
    assert.equal(found(first, at(0, "Second.", "SVC118")), first);
  });

  it("of several files are sorted by file, and those without a position are last", () => {
    const other = { path: "a.tsx", text: "four\n" };
    const error = found(new SvcError("SVC104", "SVC104 No position."), at(0), at(0, "Other.", "SVC118", other));
    assert.deepEqual(
      error.message.split("\n").filter((line) => /^SVC|^Fix/.test(line)),
      ["SVC118 a.tsx:1:1", "SVC101 pages/test.tsx:1:1", "SVC104 No position.", "Fix 3 errors in 3 files."],
    );
  });

  it("show at most 20 of one file", () => {
    const file = { path: "long.tsx", text: "x\n".repeat(30) };
    const error = found(...Array.from({ length: 25 }, (_, line) => at(line * 2, `Error ${line}.`, "SVC101", file)));
    assert.equal(placesOf(error).length, 20);
    assert.match(error.message, /\n\nFix 25 errors in long\.tsx; the first 20 of each file are shown\.$/);
  });

  it("are collected again from an error that has them", () => {
    const error = found(found(at(0, "A."), at(4, "B.")), at(8, "C."));
    assert.deepEqual(placesOf(error), [
      "SVC101 pages/test.tsx:1:1",
      "SVC101 pages/test.tsx:2:1",
      "SVC101 pages/test.tsx:3:1",
    ]);
  });
});

describe("a step of the compiler", () => {
  it("that fails is followed by the next one, but a bug of svc is thrown", () => {
    const problems = new Problems();
    assert.throws(() => problems.attempt(() => assert.fail("bug")), /bug/);
    assert.equal(
      problems.attempt(() => {
        throw at(0);
      }),
      undefined,
    );
    assert.equal(
      problems.attempt(() => assert.fail("a gap that the first step left")),
      undefined,
    );
    assert.equal(
      problems.attempt(() => 5),
      5,
    );
    assert.throws(() => problems.throwAny(), { code: "SVC101" });
  });
});

/** Programs with several mistakes, each marked by «» and its code. */
const SEVERAL: [name: string, text: string, ...codes: string[]][] = [
  [
    "attributes, children and handlers of one element",
    `export function A() {
      let n = 0;
      return (
        <main «className="a"» «onclick="x()"»>
          <p>«<div />»</p>
          <button onClick={() => «n»++}>x</button>
          <button onClick={«make()»}>y</button>
        </main>
      );
    }`,
    "SVC118",
    "SVC103",
    "SVC108",
    "SVC101",
    "SVC103",
  ],
  [
    "components of one file",
    `export function A() { return <p «className="a"» />; }
     export «async function B() { return <p>{await load()}</p>; }»
     export const C = () => <label «htmlFor="c"»>x</label>;`,
    "SVC118",
    "SVC106",
    "SVC118",
  ],
  [
    "hooks, props and JSX of one component",
    `export function A(props) {
      const n = signal(1);
      const twice = n.value * 2;
      effect(() => { «document».title = "x"; });
      if (props.x) { «effect(() => 1)»; }
      «props.n = 2»;
      return <p «className="a"»>{«twice»}</p>;
    }`,
    "SVC111",
    "SVC111",
    "SVC113",
    "SVC118",
    "SVC112",
  ],
  [
    "rows, branches and props of components",
    `const B = () => <i />;
     export function A(props) {
      const open = signal(true);
      const list = signal([1]);
      return (
        <div>
          {open.value && <b «{...props}»>{props.children}</b>}
          <ul>{list.value.map((x) => <li «key="a"»><span «className="b"»>{x}</span></li>)}</ul>
          <B «bind:value={open}» />
          <B title={<i «className="c"» />} />
        </div>
      );
    }`,
    "SVC120",
    "SVC114",
    "SVC118",
    "SVC110",
    "SVC118",
  ],
];

/** `SVC101 pages/test.tsx:3:5` of each marked place. The module begins with a line of imports. */
function marksOf(marked: string, codes: readonly string[]): string[] {
  const starts = [...marked.matchAll(/«/g)].map(({ index }) => index);
  return starts.map((start, at) => {
    const before = marked.slice(0, start).replaceAll(/[«»]/g, "");
    return `${codes[at]} pages/test.tsx:${before.split("\n").length + 1}:${before.length - before.lastIndexOf("\n")}`;
  });
}

/** The same of each error in a message. */
function errorsIn(message: string): string[] {
  return splitMessage(message).flatMap((text) => {
    const [, code, first] = /^(SVC\d+) (\S+)/.exec(text) ?? [];
    const others = /^Also at (.*)\.$/m.exec(text)?.[1]?.split(", ") ?? [];
    return [first, ...others].map((place) => `${code} ${place}`);
  });
}

describe("all errors of a file are reported at once", () => {
  for (const [name, marked, ...codes] of SEVERAL)
    it(`for ${name}`, () => {
      const { message } = compileError(marked.replaceAll(/[«»]/g, ""));
      assert.deepEqual(errorsIn(message).sort(), marksOf(marked, codes).sort(), message);
    });
});
