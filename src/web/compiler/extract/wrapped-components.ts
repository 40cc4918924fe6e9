/**
 * Components without a name that a call of the module wraps: `const Page = guard((props) => <p>{props.name}</p>)`. They get a name, by which the
 * browser can create what the call returns.
 */
import type { ESTree } from "vite";
import { svcName } from "../analyze/declaration-kinds.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isFunction, returnsOf, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { replaceWith } from "./moved-code.ts";
import { unusedName } from "./unused-names.ts";

/** Whether a module may have such components. Most have none, and their names are not resolved twice. */
export function mayWrapComponent(program: ESTree.Program): boolean {
  return program.body.some((statement) => inlineComponent(statement) !== undefined);
}

/** @returns the change that names the first such component; undefined if there is none */
export function wrappedComponentEdits(
  { text }: SourceFile,
  program: ESTree.Program,
  scopes: Scopes,
): Edit[] | undefined {
  for (const statement of program.body) {
    const found = inlineComponent(statement);
    if (!found || svcName(found.call.callee, scopes) !== undefined) continue;
    const name = unusedName(`${found.name}Inner`, text);
    const { start, end } = found.component;
    return replaceWith(text, statement, [
      `const ${name} = `,
      { start, end },
      `;${text.slice(statement.start, start)}${name}${text.slice(end, statement.end)}`,
    ]);
  }
  return undefined;
}

interface InlineComponent {
  /** The name of what the call returns. */
  name: string;
  call: ESTree.CallExpression;
  component: FunctionNode;
}

function inlineComponent(statement: Node): InlineComponent | undefined {
  const { name, value } = valueOf(statement);
  if (value?.type !== "CallExpression") return undefined;
  const component = value.arguments.find(
    (item): item is ESTree.ArrowFunctionExpression | ESTree.Function =>
      isFunction(item) && item.id == null && returnsOf(item).some(holdsJsx),
  );
  return component && { name, call: value, component };
}

/** The value of a constant whose name is that of a component, or of the default export. */
function valueOf(statement: Node): { name: string; value: Node | undefined } {
  if (statement.type === "ExportDefaultDeclaration") return { name: "Default", value: statement.declaration };
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const [first, ...others] = declaration?.type === "VariableDeclaration" ? declaration.declarations : [];
  const isNamed = first?.id.type === "Identifier" && /^[A-Z]/.test(first.id.name) && others.length === 0;
  return first?.id.type === "Identifier" && isNamed
    ? { name: first.id.name, value: first.init ?? undefined }
    : { name: "", value: undefined };
}
