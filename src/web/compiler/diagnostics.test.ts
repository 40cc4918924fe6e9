import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { codeFrame, positionOf } from "./diagnostics.ts";
import { browserBody, compileError } from "./harness.testkit.ts";
import { MISTAKES } from "./mistakes.testkit.ts";

describe("a diagnostic", () => {
  it("shows code, position, fix and the source line", () => {
    const error = compileError("export function A() {\n  let n = 0;\n  return <p onClick={() => n++}>x</p>;\n}");
    assert.equal(error.code, "SVC101");
    assert.equal(
      error.message,
      [
        "SVC101 pages/test.tsx:4:28",
        '"n" is a let variable, captured by code that runs in the browser: its value would be copied, not shared. Write const n = signal(…) and n.value, or make it a const.',
        "",
        "  2 | export function A() {",
        "  3 |   let n = 0;",
        "> 4 |   return <p onClick={() => n++}>x</p>;",
        "    |                            ^",
        "  5 | }",
        "",
        "See SVC101 captured-let in docs/errors.md.",
      ].join("\n"),
    );
  });

  it("counts lines and columns from 1", () => {
    assert.deepEqual(positionOf("ab\ncd", 0), { line: 1, column: 1 });
    assert.deepEqual(positionOf("ab\ncd", 4), { line: 2, column: 2 });
  });

  it("underlines within one line", () => {
    assert.equal(codeFrame("ab\ncd", { start: 1, end: 5 }), "> 1 | ab\n    |  ^\n  2 | cd");
  });
});

describe("compile errors", () => {
  for (const [name, marked, code, fix] of MISTAKES) {
    it(`reject ${name} with ${code}, with position and fix`, () => {
      const start = marked.indexOf("«");
      const error = compileError(marked.replaceAll(/[«»]/g, ""));
      assert.equal(error.code, code, error.message);
      assert.equal(error.message.split("\n")[0], `${code} pages/test.tsx:2:${start + 1}`, error.message);
      assert.match(error.message.split("\n")[1] ?? "", fix);
    });
  }

  it("cover every code of the compiler that docs/errors.md explains", () => {
    const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^### (SVC1\d\d) [\w-]+$/gm)].map((match) => match[1]);
    assert.deepEqual(
      // SVC117 concerns files of actions, SVC122 the whole app (build.test.ts), SVC127 and SVC128 files of assets (their own tests).
      [...new Set([...MISTAKES.map(([, , code]) => code), "SVC117", "SVC122", "SVC127", "SVC128"])]
        .filter((code) => code !== "SVC_INVALID")
        .sort(),
      documented,
    );
  });
});

/** Valid programs that look similar to a mistake above. */
const FINE: [name: string, text: string][] = [
  [
    "a value read once that only a handler uses",
    "const c = signal(1); const n = c.value; return <p onClick={() => go(n)}>x</p>;",
  ],
  [
    "a value that is meant to be read once",
    "const c = signal(1); const n = untrack(() => c.value); return <p>{n}</p>;",
  ],
  ["a value that begins a signal", "const c = signal(1); const d = signal(c.value); return <p>{d.value}</p>;"],
  ["a computed", "const c = signal(1); const d = computed(() => c.value); return <p>{d.value}</p>;"],
  ["a signal taken out of the props", "const { count } = p; return <p>{count.value}</p>;"],
  [
    "a list of a store that rows come from",
    "const s = store({ l: [] }); return <ul>{s.l.map((x) => <li>{x}</li>)}</ul>;",
  ],
  ["a value read in a callback", "const c = signal(1); const later = wait(() => c.value); return <p>{later}</p>;"],
  ["a prop of a prop that is set", "return <p onClick={() => { p.count.value++; p.user.name = 1; }}>x</p>;"],
  ["a key made of the item in parts", "return <ul>{p.list.map(({ a, b }) => <li key={`${a} ${b}`}>x</li>)}</ul>;"],
];

describe("a program that looks like a mistake", () => {
  for (const [name, body] of FINE) it(`compiles: ${name}`, () => void browserBody(`export function A(p) { ${body} }`));
});
