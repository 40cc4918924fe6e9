/**
 * Completes the calls that create an app with arguments that only the compiler knows: the modules of the folder `pages/` for
 * `createFullStackApp(…)`, which Vite turns into imports and updates when a file is added or removed, and the actions that handlers call
 * (handler-actions.ts) for both `createApp(…)` and `createFullStackApp(…)`.
 */
import { parse } from "../parse/parse.ts";
import { walk } from "../parse/ast.ts";
import type { SourceFile } from "../diagnostics.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { NO_ALIASES, nameFrameworkImports, type FrameworkAliases } from "../framework-imports.ts";
import { ACTIONS_LIST, importOfActionsList } from "./handler-actions.ts";

/** All modules except tests, declarations and folders that begin with `_`. */
const PATTERNS = [
  "./pages/**/*.{ts,tsx,js,jsx}",
  "!./pages/**/*.{test,spec}.{ts,tsx,js,jsx}",
  "!./pages/**/*.d.ts",
  "!./pages/**/_*/**",
];

const MODULES = `import.meta.glob(${JSON.stringify(PATTERNS)}, { eager: true })`;

/** Function that creates an app -> its entry point and the arguments behind the options. */
const CREATORS: Readonly<Record<string, { from: string; added: string }>> = {
  createApp: { from: SVC, added: ACTIONS_LIST },
  createFullStackApp: { from: `${SVC}/fullstack`, added: `${MODULES}, ${ACTIONS_LIST}` },
};

/** @returns the text with completed calls and unchanged lines; undefined for a module without such a call. */
export function withAppArguments(file: SourceFile, aliases: FrameworkAliases = NO_ALIASES): string | undefined {
  if (!Object.keys(CREATORS).some((name) => file.text.includes(name))) return undefined;
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const creators = new Map(
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration"
        ? statement.specifiers.flatMap((item) => {
            const name = item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name;
            const creator = name && Object.hasOwn(CREATORS, name) ? CREATORS[name] : undefined;
            return creator?.from === statement.source.value ? [[item.local.name, creator.added] as const] : [];
          })
        : [],
    ),
  );
  const ends: { at: number; insert: string }[] = [];
  walk(program, (node) => {
    const added = node.type === "CallExpression" && node.callee.type === "Identifier" && creators.get(node.callee.name);
    if (!added) return;
    const last = node.arguments.at(-1);
    // Behind the argument and not before the parenthesis, where a trailing comma may be.
    if (node.arguments.length === 1 && last) ends.push({ at: last.end, insert: `, ${added}` });
    if (node.arguments.length === 0) ends.push({ at: node.end - 1, insert: `{}, ${added}` });
  });
  if (ends.length === 0) return undefined;
  const completed = ends
    .sort((left, right) => right.at - left.at)
    .reduce((text, { at, insert }) => text.slice(0, at) + insert + text.slice(at), file.text);
  return `${completed}\n${importOfActionsList}`;
}
