/** Finds signals and stores of a module (SVC105): all requests on the server share them, and each browser chunk would have a copy. */
import type { ESTree } from "vite";
import { isFunction, memberName, unwrap, walk, type Node } from "../parse/ast.ts";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import { nameFrameworkImports, type FrameworkAliases } from "../framework-imports.ts";
import { parse } from "../parse/parse.ts";
import { Problems } from "../problems.ts";
import { resolveScopes, type Reference, type Scopes } from "../parse/scopes.ts";
import { indexImports, svcName } from "./declaration-kinds.ts";

/** Functions of the framework whose result is state. A `computed` only derives from state. */
const STATE_CALLS: ReadonlySet<string> = new Set(["signal", "store", "resource"]);

interface StateCall {
  node: ESTree.CallExpression;
  /** `signal`, `store` or `resource`. */
  name: string;
}

/**
 * Checks a module that browser code imports. A signal that is neither exported nor written is a constant and allowed.
 * @throws SvcError SVC105 with the positions of the signals and stores.
 */
export function refuseModuleState(file: SourceFile, aliases: FrameworkAliases): void {
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  indexImports(program);
  const scopes = resolveScopes(program);
  const written = writtenNodes(program);
  const problems = new Problems();
  for (const statement of program.body) {
    const [call] = stateCalls(statement, scopes);
    if (!call || isConstant(statement, call, scopes, written)) continue;
    const error = diagnostic(
      file,
      "SVC105",
      call.node,
      `Browser code imports this ${call.name} of a module. All requests on the server share it, while the browser would have a copy of its own. Create it in a component, or in a function that components call, and pass it as a prop or context.`,
    );
    problems.add(error);
  }
  problems.throwAny();
}

/** The calls that run when the module is evaluated. */
function stateCalls(statement: Node, scopes: Scopes): StateCall[] {
  const found: StateCall[] = [];
  walk(statement, (node) => {
    if (isFunction(node) || (node.type === "PropertyDefinition" && !node.static)) return false;
    const name = node.type === "CallExpression" ? svcName(node.callee, scopes) : undefined;
    if (node.type === "CallExpression" && name !== undefined && STATE_CALLS.has(name)) found.push({ node, name });
    return undefined;
  });
  return found;
}

/** Targets of assignments. */
function writtenNodes(program: ESTree.Program): Set<Node> {
  const written = new Set<Node>();
  walk(program, (node) => {
    if (node.type === "AssignmentExpression") written.add(unwrap(node.left));
    if (node.type === "UpdateExpression") written.add(unwrap(node.argument));
  });
  return written;
}

/** Whether the statement declares a signal that the module only reads: `const step = signal(2)`. */
function isConstant(statement: Node, { name, node }: StateCall, scopes: Scopes, written: Set<Node>): boolean {
  if (statement.type !== "VariableDeclaration" || name !== "signal") return false;
  const binding = scopes.bindings.find(
    ({ source }) => source.type === "VariableDeclarator" && source.init && unwrap(source.init) === node,
  );
  const isRead = ({ node: used, parent }: Reference): boolean =>
    parent.type === "MemberExpression" &&
    parent.object === used &&
    memberName(parent) === "value" &&
    !written.has(parent);
  return binding !== undefined && scopes.references.every((item) => item.binding !== binding || isRead(item));
}
