/** Finds code of a component that the browser may evaluate again, because it creates nothing that has to stay. */
import { isHookName, svcName } from "./declaration-kinds.ts";
import { isInside, type Module } from "./analyze.ts";
import { holdsJsx, isFunction, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

const NONE: ReadonlySet<Binding> = new Set();

/**
 * Whether the browser may evaluate code again: it creates no state, awaits nothing, returns nothing, and contains no JSX.
 * @param own variables that the code may assign
 */
export function mayRunAgain(module: Module, code: Node, own: ReadonlySet<Binding> = NONE): boolean {
  if (holdsJsx(code)) return false;
  let isPure = true;
  walk(code, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "CallExpression") isPure &&= !createsState(module, node.callee);
    if (node.type === "AssignmentExpression") isPure &&= isOneOf(module, node.left, own);
    if (node.type === "UpdateExpression") isPure &&= isOneOf(module, node.argument, own);
    if (/^(?:AwaitExpression|YieldExpression|ReturnStatement)$/.test(node.type)) isPure = false;
    return isPure;
  });
  return isPure;
}

/** Whether a call of this function creates state, as hooks do. */
export function createsState(module: Module, node: Node): boolean {
  const callee = unwrap(node);
  const name = svcName(callee, module.scopes);
  return (callee.type === "Identifier" && isHookName(callee.name)) || (name !== undefined && name !== "computed");
}

function isOneOf(module: Module, target: Node, own: ReadonlySet<Binding>): boolean {
  if (target.type !== "Identifier") return false;
  const binding = module.scopes.within(target)[0]?.binding;
  return binding !== undefined && own.has(binding);
}

/** Statements of a component that give a variable its value, and the names that they declare. */
export interface Assigning {
  statements: readonly Node[];
  declares: ReadonlySet<Binding>;
}

/**
 * The statements that give a variable of a component its value: `let label = "none"; if (isLarge) label = "large";`.
 * @returns undefined if the browser can't run them again
 */
export function assigning(module: Module, binding: Binding): Assigning | undefined {
  const { owner } = binding;
  if (module.kind(binding) !== "let" || !owner || !module.components.has(owner)) return undefined;
  if (owner.body?.type !== "BlockStatement") return undefined;
  const variables = new Set([binding]);
  let statements: Node[] = [];
  // A statement may assign several variables, each of which has other statements.
  for (let size = 0; size !== variables.size;) {
    size = variables.size;
    statements = owner.body.body.filter((statement) => assigns(module, statement, variables));
    for (const { binding: used } of statements.flatMap((statement) => module.scopes.within(statement)))
      if (used?.owner === owner && module.kind(used) === "let") variables.add(used);
  }
  const isOwn = ({ node, isWrite, binding: used }: { node: Node; isWrite: boolean; binding: Binding | undefined }) =>
    !isWrite || !used || !variables.has(used) || functionAround(module, node) === owner;
  if (!module.scopes.references.every(isOwn)) return undefined;
  if (!statements.every((statement) => mayRunAgain(module, statement, variables))) return undefined;
  const declares = module.scopes.bindings.filter(({ node }) => statements.some((one) => isInside(node, one)));
  return { statements, declares: new Set(declares) };
}

/** Whether a statement declares or assigns one of the variables. */
function assigns(module: Module, statement: Node, variables: ReadonlySet<Binding>): boolean {
  return (
    [...variables].some(({ node }) => isInside(node, statement)) ||
    module.scopes
      .within(statement)
      .some(({ binding, isWrite }) => isWrite && binding !== undefined && variables.has(binding))
  );
}

function functionAround(module: Module, node: Node): Node | undefined {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) if (isFunction(at)) return at;
  return undefined;
}
