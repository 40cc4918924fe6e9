/** Every value that apps import has a docstring with an example, and each example compiles. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { root, sourceFiles } from "./source.ts";

/** Entry points that only compiled code imports, or that promise nothing. */
const LEFT_OUT = new Set(["./jsx-runtime", "./jsx-dev-runtime", "./internal"]);

/** Inside the repository, so that `svckit` resolves to this package. */
const FOLDER = join(root, "out", `docstring-examples-${process.pid}`);

/** Names that examples use without declaring them. */
const PRELUDE = `import type { App, Context, Signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import type { GraphDefinition, Worker } from "svckit/graph";
import type { Submit } from "svckit/fullstack";
import type { GenericSchema } from "valibot";
declare global {
  const app: App;
  const ctx: Context;
  const request: Request;
  const count: Signal<number>;
  const offset: Signal<number>;
  const text: Signal<string>;
  const message: Signal<string>;
  const todos: Signal<{ id: number; text: string }[]>;
  const isOpen: boolean;
  const graphId: string;
  const token: string;
  const books: Map<string, { title: string }>;
  const addTodo: (text: string) => Promise<void>;
  const loadReviews: () => Promise<string[]>;
  const fetchReviews: () => Promise<string[]>;
  const Chart: () => JSX.Element;
  const Title: GenericSchema<{ title: string }>;
  const rename: Submit<{ title: string }>;
  const charge: Worker<{ cents: number }, { ok: boolean }>;
  const order: GraphDefinition<{ cents: number }, { ok: boolean }>;
  const createServer: (config: { plugins: unknown[] }) => Promise<unknown>;
  const chromium: { launch(options: { executablePath: string; args: string[] }): Promise<unknown> };
  const describe: (name: string, options: { skip: string | false }, run: () => void) => void;
}
`;

/** Types that examples use, by entry point. */
const TYPES: Readonly<Record<string, readonly string[]>> = { ".": ["Signal", "Middleware"] };

interface Documented {
  entryPoint: string;
  name: string;
  example: string | undefined;
}

/** A docstring and the export behind it. */
const EXPORT = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export (?:async |abstract )*(?:function\*?|const|class) (\w+)/g;

/** @returns the text behind `@example` by the name of the export */
function examplesIn(text: string): Map<string, string> {
  const examples = new Map<string, string>();
  for (const [, docstring = "", name = ""] of text.matchAll(EXPORT)) {
    const lines = docstring.split("\n").map((line) => line.replace(/^\s*\* ?/, ""));
    const start = lines.findIndex((line) => line.startsWith("@example"));
    if (start < 0) continue;
    const length = lines.slice(start + 1).findIndex((line) => line.startsWith("@"));
    examples.set(
      name,
      lines
        .slice(start + 1, length < 0 ? undefined : start + 1 + length)
        .join("\n")
        .trim(),
    );
  }
  return examples;
}

function publicExports(): Documented[] {
  const record = JSON.parse(readFileSync(join(root, "test/guards/exports.json"), "utf8")) as Record<string, string[]>;
  const examples = new Map<string, string>();
  for (const { path, text } of sourceFiles("src"))
    // Browser twins of an export are documented where apps import it from.
    if (!path.startsWith("src/web/client/"))
      for (const [name, example] of examplesIn(text)) examples.set(name, example);
  return Object.entries(record)
    .filter(([entryPoint]) => !LEFT_OUT.has(entryPoint))
    .flatMap(([entryPoint, names]) => names.map((name) => ({ entryPoint, name, example: examples.get(name) })));
}

/** @returns the example as a module: what it uses of the package is imported, and JSX alone becomes a component */
function moduleOf({ entryPoint, name, example = "" }: Documented, all: readonly Documented[]): string {
  const uses = (word: string): boolean =>
    new RegExp(`(?<![\\w$"'/]|(?<!\\.\\.)\\.)${word}(?![\\w$:])`).test(example) &&
    !new RegExp(`(?:const|function|class) ${word}\\b`).test(example);
  const imports = new Map<string, string>();
  const offer = (from: string, word: string): void => {
    if (!imports.has(word) && uses(word)) imports.set(word, from);
  };
  offer(entryPoint, name);
  // An entry point's own names win over those of the same name elsewhere.
  const nearest = all.toSorted((a, b) => Number(b.entryPoint === entryPoint) - Number(a.entryPoint === entryPoint));
  for (const each of nearest) if (!AMBIENT.has(each.name) || each.name === name) offer(each.entryPoint, each.name);
  const lines = [...imports].map(([word, from]) => `import { ${word} } from ${JSON.stringify(specifier(from))};`);
  for (const [from, types] of Object.entries(TYPES))
    for (const type of types)
      if (uses(type)) lines.push(`import type { ${type} } from ${JSON.stringify(specifier(from))};`);
  const body = example.startsWith("<") ? `export const Example = () => (${example});` : example;
  return `${lines.join("\n")}\n${body}\nexport {};\n`;
}

/** Names of the prelude that are exports as well. */
const AMBIENT = new Set(["text"]);

const specifier = (entryPoint: string): string => entryPoint.replace(/^\./, "svckit");

/** @returns what the compiler says of the modules, by file name */
function typeErrors(modules: Readonly<Record<string, string>>): string {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const options = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      declaration: false,
      jsx: "preserve",
      jsxImportSource: "svckit",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      types: ["node"],
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ["*.ts", "*.tsx", "../../client.d.ts"],
  };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(options));
  writeFileSync(join(FOLDER, "prelude.ts"), PRELUDE);
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(FOLDER, name), text);
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", FOLDER], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("The docstring of a public export", () => {
  after(() => rmSync(FOLDER, { recursive: true, force: true }));

  it("has an example", () => {
    const missing = publicExports().filter(({ example }) => !example);
    assert.deepEqual(
      missing.map(({ entryPoint, name }) => `${entryPoint} ${name}`),
      [],
    );
  });

  it("has an example that compiles", () => {
    const all = publicExports();
    const documented = all.filter(({ example }) => example);
    // The number keeps names apart that differ in case only.
    const modules = documented.map((each, index): [string, string] => [
      `${index}-${each.name}.tsx`,
      moduleOf(each, all),
    ]);
    assert.equal(typeErrors(Object.fromEntries(modules)), "");
  });

  it("is rejected without an example, or with one that does not compile", () => {
    const planted = '/** Adds.\n * @example\n * signal("a").value.toFixed();\n */\nexport function planted() {}\n';
    assert.deepEqual([...examplesIn(planted)], [["planted", 'signal("a").value.toFixed();']]);
    assert.deepEqual([...examplesIn("/** Adds. */\nexport function planted() {}\n")], []);
    const entry = { entryPoint: ".", name: "planted", example: 'signal("a").value.toFixed();' };
    const all = [entry, { entryPoint: ".", name: "signal", example: undefined }];
    assert.match(typeErrors({ "planted.tsx": moduleOf(entry, all) }), /toFixed/);
  });
});
