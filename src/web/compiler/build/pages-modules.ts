/**
 * Passes the modules of the folder `pages/` to `createFullStackApp(…)`. The call gets another argument, which Vite turns into imports and
 * updates when a file is added or removed.
 */
import { parse } from "../parse/parse.ts";
import { walk } from "../parse/ast.ts";
import type { SourceFile } from "../diagnostics.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { NO_ALIASES, nameFrameworkImports, type FrameworkAliases } from "../framework-imports.ts";

const FACE = `${SVC}/fullstack`;
const NAME = "createFullStackApp";

/** All modules except tests, declarations and folders that begin with `_`. */
const PATTERNS = [
  "./pages/**/*.{ts,tsx,js,jsx}",
  "!./pages/**/*.{test,spec}.{ts,tsx,js,jsx}",
  "!./pages/**/*.d.ts",
  "!./pages/**/_*/**",
];

const MODULES = `import.meta.glob(${JSON.stringify(PATTERNS)}, { eager: true })`;

/** @returns the text with completed calls and unchanged lines; undefined for a module without such a call. */
export function withPages(file: SourceFile, aliases: FrameworkAliases = NO_ALIASES): string | undefined {
  if (!file.text.includes(NAME)) return undefined;
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const names = new Set(
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration" && statement.source.value === FACE
        ? statement.specifiers.flatMap((item) =>
            item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name === NAME
              ? [item.local.name]
              : [],
          )
        : [],
    ),
  );
  const ends: { at: number; insert: string }[] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier" || !names.has(node.callee.name)) return;
    const last = node.arguments.at(-1);
    // Behind the argument and not before the parenthesis, where a trailing comma may be.
    if (node.arguments.length === 1 && last) ends.push({ at: last.end, insert: `, ${MODULES}` });
    if (node.arguments.length === 0) ends.push({ at: node.end - 1, insert: `{}, ${MODULES}` });
  });
  if (ends.length === 0) return undefined;
  return ends
    .sort((left, right) => right.at - left.at)
    .reduce((text, { at, insert }) => text.slice(0, at) + insert + text.slice(at), file.text);
}
