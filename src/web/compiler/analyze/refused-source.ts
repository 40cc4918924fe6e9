/** Rejects source that svc can't run: components of another framework (SVC123), and syntax that browsers lack (SVC124). */
import type { ESTree } from "vite";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import type { Problems } from "../problems.ts";
import type { Module } from "./analyze.ts";
import { walk, type Node } from "../parse/ast.ts";

/** Packages with components, and the framework's name. */
const FRAMEWORKS: readonly [package_: RegExp, name: string][] = [
  [/^react(?:-dom)?(?:\/|$)/, "React"],
  [/^preact(?:\/|$)/, "Preact"],
  [/^solid-js(?:\/|$)/, "Solid"],
  [/^@builder\.io\/qwik(?:\/|$)/, "Qwik"],
];

/** Exports of other frameworks, and what to write with svc. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  useState: "const count = signal(0), read and set as count.value",
  createSignal: "const count = signal(0), read and set as count.value",
  useSignal: "const count = signal(0), read and set as count.value",
  useReducer: "store({ … }) and functions that change it",
  createStore: "store({ … })",
  useStore: "store({ … })",
  useEffect: "effect(() => …) for reactions to signals, onLoad(() => …) for code that needs the browser",
  useLayoutEffect: "onLoad(() => …)",
  createEffect: "effect(() => …)",
  onMount: "onLoad(() => …)",
  useMemo: "computed(() => …)",
  createMemo: "computed(() => …)",
  useCallback: "a plain function: components run once",
  memo: "the component itself: components run once",
  useRef: "createRef()",
  useContext: 'useContext of "svckit"',
  createContext: 'createContext of "svckit"',
  Fragment: "<>…</>",
  Suspense: "<Await>",
  createResource: "resource(() => …, …)",
  createPortal: "<Portal>",
  Portal: "<Portal>",
};

/** SVC123 for imports of another framework's values. Types may be imported. */
export function refuseOtherFrameworks({ file, program, problems }: Module): void {
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
    const source = statement.source.value;
    const [, framework] = FRAMEWORKS.find(([pattern]) => pattern.test(source)) ?? [];
    const specifiers = statement.specifiers.filter(
      (item) => item.type !== "ImportSpecifier" || item.importKind !== "type",
    );
    if (framework === undefined || (specifiers.length === 0 && statement.specifiers.length > 0)) continue;
    const advice = specifiers.flatMap((item) => {
      const name = item.type === "ImportSpecifier" && item.imported.type === "Identifier" ? item.imported.name : "";
      const instead = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name] : undefined;
      return instead === undefined ? [] : [`Instead of ${name}, write ${instead}.`];
    });
    const error = diagnostic(
      file,
      "SVC123",
      statement,
      `This module imports "${source}", but svc compiles its JSX, so components of ${framework} can't run here. Remove the import. ${advice.join(" ")}`.trimEnd(),
    );
    problems.add(error);
  }
}

/** SVC124 for decorators and `accessor` fields, which neither Node nor browsers run. */
export function refuseUnsupportedSyntax(file: SourceFile, program: ESTree.Program, problems: Problems): void {
  if (!/@|\baccessor\b/.test(file.text)) return;
  walk(program, (node: Node) => {
    const decorator = "decorators" in node && Array.isArray(node.decorators) ? node.decorators[0] : undefined;
    const what = decorator ? "A decorator" : node.type === "AccessorProperty" ? "An accessor field" : undefined;
    if (what === undefined) return;
    const error = diagnostic(
      file,
      "SVC124",
      decorator ?? node,
      `${what} would reach the browser as it is, and browsers can't run it yet. ${decorator ? "Call a function instead: twice = logged(this.twice)" : "Write a private field with get and set"}.`,
    );
    problems.add(error);
  });
}
