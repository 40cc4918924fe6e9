/** Finds code of other frameworks (SVC123): imports of their packages, and their functions without an import. Names the counterpart of each. */
import type { ESTree } from "vite";
import { diagnostic, MAX_QUOTED, type SourceFile } from "../diagnostics.ts";
import { memberName, walk, type Node } from "../parse/ast.ts";
import { parse } from "../parse/parse.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { Problems } from "../problems.ts";
import { SVC, svcName, type Kind } from "./declaration-kinds.ts";

const GUIDE = "See docs/guide/coming-from-react-solid-svelte.md.";

/** Packages with components, and the framework's name. */
const FRAMEWORKS: readonly [package_: RegExp, name: string][] = [
  [/^react(?:-dom|-router|-router-dom)?(?:\/|$)/, "React"],
  [/^@remix-run\/react(?:\/|$)/, "Remix"],
  [/^next(?:\/|$)/, "Next.js"],
  [/^(?:preact|@preact\/signals)(?:\/|$)/, "Preact"],
  [/^(?:solid-js|@solidjs\/[\w-]+)(?:\/|$)/, "Solid"],
  [/^(?:@builder\.io|@qwik\.dev)\/[\w-]+(?:\/|$)/, "Qwik"],
  [/^(?:svelte|@sveltejs\/kit)(?:\/|$)/, "Svelte"],
  [/^\$app\//, "SvelteKit"],
  [/^vue(?:\/|$)/, "Vue"],
];

const STATE = "const count = signal(0), read and set as count.value";
const STORE = "const state = store({ … }), and change its fields";
const DERIVED = "const twice = computed(() => count.value * 2)";
const EFFECT = "effect(() => …) for reactions to signals, onLoad(() => …) for code that needs the browser";
const LOAD = "onLoad(() => …)";
const PLAIN = "the function itself: components run once";
const ROUTE_DATA = "the context of load: load: ({ params, query }) => …, and pass the data as props";

/** Exports of other frameworks, and what to write with svc. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  useState: STATE,
  createSignal: STATE,
  useSignal: STATE,
  ref: STATE,
  $state: STATE,
  writable: STATE,
  useReducer: "store({ … }) and functions that change it",
  createStore: STORE,
  useStore: STORE,
  reactive: STORE,
  useEffect: EFFECT,
  createEffect: EFFECT,
  useTask$: EFFECT,
  watchEffect: EFFECT,
  $effect: EFFECT,
  useLayoutEffect: LOAD,
  useVisibleTask$: "onVisible(() => …) or onLoad(() => …)",
  onMount: LOAD,
  onMounted: LOAD,
  useMemo: DERIVED,
  createMemo: DERIVED,
  useComputed$: DERIVED,
  useComputed: DERIVED,
  derived: DERIVED,
  $derived: DERIVED,
  $props: "the parameter of the component: function Card(props: { title: string })",
  useCallback: PLAIN,
  memo: PLAIN,
  component$: "a plain function with a capitalised name",
  $: PLAIN,
  forwardRef: "a prop that has the ref: <Field field={field} />",
  useRef: "const field = createRef<HTMLInputElement>(), and ref={field}",
  useId: "an id of your own, or one from a prop",
  useTransition: "a signal that is true while the work runs",
  useContext: `import { useContext } from "${SVC}"`,
  createContext: `import { createContext } from "${SVC}"`,
  Fragment: "<>…</>",
  Suspense: "<Await value={promise}>",
  use: "<Await value={promise}>",
  createAsync: ROUTE_DATA,
  createResource: "resource(() => source.value, (value) => load(value))",
  useResource$: "resource(() => source.value, (value) => load(value))",
  createPortal: '<Portal to="#id">',
  Portal: `import { Portal } from "${SVC}"`,
  For: `import { For } from "${SVC}"`,
  Index: "<For each={…}> without by",
  Show: `import { Show } from "${SVC}"`,
  Switch: "<Match>",
  Match: "<Case> in a <Match>",
  ErrorBoundary: `import { ErrorBoundary } from "${SVC}"`,
  Dynamic: "<Dynamic is={…}>",
  lazy: "a plain import: handlers load when they are needed",
  dynamic: "a plain import: handlers load when they are needed",
  onCleanup: `import { onCleanup } from "${SVC}"`,
  onDestroy: `onCleanup(() => …), imported from "${SVC}"`,
  batch: `import { batch } from "${SVC}"`,
  untrack: `import { untrack } from "${SVC}"`,
  Link: '<a href="…">',
  A: '<a href="…">',
  Image: `import { Image } from "${SVC}/assets"`,
  Head: "title and head of page(…)",
  useRouter: "navigate(path) in handlers, the context of load on the server",
  useNavigate: "navigate(path) in handlers",
  useParams: ROUTE_DATA,
  useSearchParams: ROUTE_DATA,
  useLoaderData: ROUTE_DATA,
  useFetcher: "an action: export const save = action(…)",
};

/** Names that only other frameworks have, so a use without an import is a mistake too. */
const UNIQUE =
  /^(?:use[A-Z]\w*\$?|create(?:Signal|Effect|Memo|Store|Resource)|component\$|\$(?:state|derived|effect|props))$/;

/** Functions of state and reactions. A file without JSX may import other parts of a framework, such as a renderer for e-mails. */
const HOOKS = /^(?:use[A-Z]|create(?:Signal|Effect|Memo|Store|Resource)$|on(?:Mount|Mounted|Destroy)$)/;

/** Functions whose counterparts in other frameworks return a getter and a setter. */
const PAIRED: ReadonlySet<string> = new Set(["signal", "computed", "resource"]);

const SPECIFIER = /\bfrom\s*["']([^"'\n]+)["']/g;

/** What a check needs of a module. */
interface Source {
  file: SourceFile;
  program: ESTree.Program;
  scopes: Scopes;
  kind(binding: Binding): Kind;
  problems: Problems;
}

/** Reports SVC123 for another framework's values in a file whose JSX svc compiles. Types may be imported. */
export function refuseOtherFrameworks(source: Source): void {
  for (const statement of source.program.body) {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
    if (statement.source.value === SVC) refuseNamesOfOthers(source, statement);
    const framework = frameworkOf(statement);
    const names = valuesOf(statement);
    if (framework === undefined || (names.length === 0 && statement.specifiers.length > 0)) continue;
    const used = names.flatMap((item) => usedNames(item, statement.source.value, source.scopes));
    const error = diagnostic(
      source.file,
      "SVC123",
      statement,
      `This module imports "${statement.source.value}", but svc compiles its JSX, so components of ${framework} can't run here. Remove the import. ${adviceFor(used)}`,
    );
    source.problems.add(error);
  }
  refuseUnimported(source);
  refuseCalledSignals(source);
  refusePairs(source);
}

/** Reports SVC123 for hooks in a module without JSX, which components would call. @throws SvcError */
export function refuseOtherHooks(file: SourceFile): void {
  const specifiers = [...file.text.matchAll(SPECIFIER)].map(([, specifier = ""]) => specifier);
  if (!specifiers.some((specifier) => FRAMEWORKS.some(([pattern]) => pattern.test(specifier)))) return;
  const program = parse(file);
  const problems = new Problems();
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
    const framework = frameworkOf(statement);
    const used = valuesOf(statement)
      .flatMap((item) => usedNames(item, statement.source.value, undefined))
      .filter((name) => HOOKS.test(name));
    if (framework === undefined || used.length === 0) continue;
    const error = diagnostic(
      file,
      "SVC123",
      statement,
      `This module imports functions of ${framework}, which work only in its own components. Remove the import. ${adviceFor(used)}`,
    );
    problems.add(error);
  }
  problems.throwAny();
}

function frameworkOf({ source }: ESTree.ImportDeclaration): string | undefined {
  return FRAMEWORKS.find(([pattern]) => pattern.test(source.value))?.[1];
}

function valuesOf({ specifiers }: ESTree.ImportDeclaration): ESTree.ImportDeclarationSpecifier[] {
  return specifiers.filter((item) => item.type !== "ImportSpecifier" || item.importKind !== "type");
}

/** Names of the framework behind an import: `useState`, `Link` of `next/link`, the members of `React` that the module uses. */
function usedNames(item: ESTree.ImportDeclarationSpecifier, source: string, scopes: Scopes | undefined): string[] {
  if (item.type === "ImportSpecifier") return item.imported.type === "Identifier" ? [item.imported.name] : [];
  const own = source.split("/").at(-1) ?? "";
  const members = (scopes?.references ?? []).flatMap(({ binding, parent }) =>
    binding?.node === item.local && parent.type === "MemberExpression" ? (memberName(parent) ?? []) : [],
  );
  // `import Link from "next/link"`
  return [`${own.slice(0, 1).toUpperCase()}${own.slice(1)}`, own, ...members];
}

function adviceFor(names: readonly string[]): string {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(COUNTERPARTS, name));
  return [...known.map((name) => `Instead of ${name}, write ${COUNTERPARTS[name]}.`), GUIDE].join(" ");
}

/** `import { useState } from "svckit"` */
function refuseNamesOfOthers({ file, problems }: Source, statement: ESTree.ImportDeclaration): void {
  for (const item of valuesOf(statement)) {
    if (item.type !== "ImportSpecifier" || item.imported.type !== "Identifier") continue;
    const { name } = item.imported;
    if (!isUnique(name)) continue;
    problems.add(diagnostic(file, "SVC123", item, `"${SVC}" has no ${name}. ${adviceFor([name])}`));
  }
}

/** `useState(0)` without an import, and `$state(0)` of Svelte. */
function refuseUnimported({ file, scopes, problems }: Source): void {
  for (const { name, node, parent, binding } of scopes.references) {
    if (binding || !isUnique(name) || !isCallee(node, parent)) continue;
    problems.add(
      diagnostic(
        file,
        "SVC123",
        node,
        `${name} is a function of another framework, and svc has none of this name. ${adviceFor([name])}`,
      ),
    );
  }
}

/** `count()` of a signal, as in Solid. */
function refuseCalledSignals(source: Source): void {
  const { file, scopes, problems } = source;
  for (const { name, node, parent, binding } of scopes.references) {
    const own = binding && source.kind(binding);
    if (own !== "signal" && own !== "computed") continue;
    if (parent.type !== "CallExpression" || parent.callee !== node) continue;
    const isRead = parent.arguments.length === 0 || own === "computed";
    const fix = isRead ? `Read it as ${name}.value.` : `Set it: ${name}.value = ….`;
    problems.add(
      diagnostic(
        file,
        "SVC123",
        parent,
        `"${name}" is a ${own}, which is no function, unlike in Solid. ${fix} ${GUIDE}`,
      ),
    );
  }
}

/** `const [count, setCount] = signal(0)` */
function refusePairs({ file, program, scopes, problems }: Source): void {
  walk(program, (node) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "ArrayPattern" || node.init?.type !== "CallExpression")
      return;
    const name = svcName(node.init.callee, scopes);
    if (name === undefined || !PAIRED.has(name)) return;
    const [first] = node.id.elements;
    const own = first?.type === "Identifier" ? first.name : "count";
    const { start, end } = node.init;
    const text = `${name}(…) returns one object, not a pair. Write const ${own} = ${file.text.slice(start, Math.min(end, start + MAX_QUOTED))}${end - start > MAX_QUOTED ? "…" : ""}, read and set as ${own}.value. ${GUIDE}`;
    problems.add(diagnostic(file, "SVC123", node.id, text));
  });
}

/** svc has a `useContext` too. */
function isUnique(name: string): boolean {
  return UNIQUE.test(name) && Object.hasOwn(COUNTERPARTS, name) && name !== "useContext";
}

/** `useState(0)`, `$derived.by(…)` */
function isCallee(node: Node, parent: Node): boolean {
  return (
    (parent.type === "CallExpression" && parent.callee === node) ||
    (parent.type === "MemberExpression" && parent.object === node)
  );
}
