/**
 * Step 4, browser code: constants and variables of a component that the browser creates. Those that are made from props become computeds, so
 * that they follow a prop that changes: `const first = props.text[0]` and `first` -> `const first = computed(() => props.text[0])` and
 * `first.value`.
 */
import { PATHS } from "../../../platform/shared/wire.ts";
import { isInside, type Module } from "../analyze/analyze.ts";
import { namedBy } from "../analyze/prop-names.ts";
import { propReads, topProperty } from "../analyze/prop-reads.ts";
import { hasLastValue } from "../analyze/reassigned.ts";
import { assigning, mayRunAgain } from "../analyze/repeatable.ts";
import { memberName, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import type { Scope } from "../model.ts";
import type { ClientModule } from "./client-module.ts";

/** @returns code for the names of a component that follow its props. Rewrites their declarations. */
export function followNames(
  module: Module,
  fn: FunctionNode,
  client: ClientModule,
  scope: Scope,
): Map<Binding, string> {
  const codes = new Map<Binding, string>();
  const own = module.scopes.bindings.filter((binding) => binding.owner === fn && !scope.propCodes.has(binding));
  const component: Component = { module, client, scope, codes };
  for (const binding of own) if (module.kind(binding) === "value") followConstant(component, binding);
  for (const statements of groupsOf(module, own)) followVariables(component, statements);
  return codes;
}

interface Component {
  module: Module;
  client: ClientModule;
  scope: Scope;
  codes: Map<Binding, string>;
}

function followConstant({ module, client, scope, codes }: Component, binding: Binding): void {
  const { source } = binding;
  if (source.type !== "VariableDeclarator" || binding.declared !== "const" || !source.init) return;
  const { id, init } = source;
  if (propReads(module, init) === "" || !mayRunAgain(module, init) || holdsState(module, id)) return;
  if (id.type === "Identifier") codes.set(binding, `${binding.name}.value`);
  else {
    const property = namedBy(topProperty(id, binding), binding);
    if (id.type !== "ObjectPattern" || property === undefined || !id.properties.every(isNamed)) return;
    const name = `${client.names.prefix}o${id.start}`;
    codes.set(binding, `${name}.value.${property}`);
    // All names of the pattern share it.
    if (id.properties[0]?.start !== topProperty(id, binding)?.start) return;
    scope.edits.update(id.start, id.end, name);
  }
  scope.edits.appendLeft(init.start, `${client.runtime(PATHS.core, "computed")}(() => (`);
  scope.edits.appendRight(init.end, "))");
}

/** Whether a property of a pattern only gives a name. */
function isNamed(property: Node): boolean {
  return property.type === "Property" && !property.computed && property.value.type === "Identifier";
}

/** Whether a field of a constant is read as that of a signal. Then the constant may contain state, which stays. */
function holdsState(module: Module, id: Node): boolean {
  return module.scopes.references.some(({ binding, node }) => {
    if (!binding || !isInside(binding.node, id)) return false;
    let at = module.parentOf(node);
    for (; at?.type === "MemberExpression"; at = module.parentOf(at)) if (memberName(at) === "value") return true;
    return false;
  });
}

/** Statements that give variables their values, in groups that share no statement. */
function groupsOf(module: Module, own: readonly Binding[]): Node[][] {
  let groups: Set<Node>[] = [];
  for (const binding of own) {
    const statements = assigning(module, binding)?.statements ?? [];
    if (!statements.some((statement) => propReads(module, statement) !== "")) continue;
    const touched = groups.filter((group) => statements.some((statement) => group.has(statement)));
    const joined = new Set([...statements, ...touched.flatMap((group) => [...group])]);
    groups = [...groups.filter((group) => !touched.includes(group)), joined];
  }
  return groups.map((group) => [...group].sort((one, other) => one.start - other.start));
}

/** Moves the statements into one computed of all their variables. */
function followVariables({ module, client, scope, codes }: Component, statements: readonly Node[]): void {
  const isIn = ({ node }: { node: Node }): boolean => statements.some((statement) => isInside(node, statement));
  const own = module.scopes.bindings.filter(isIn);
  const uses = module.scopes.references.filter(({ binding }) => binding && own.includes(binding));
  const outside = uses.filter((use) => !isIn(use));
  const [first, ...others] = statements;
  const isFinal = (use: Reference): boolean => use.binding !== undefined && hasLastValue(module, use, use.binding);
  if (!first || !outside.every(isFinal)) return;
  const name = `${client.names.prefix}s${first.start}`;
  const shown = new Set(outside.flatMap(({ binding }) => (binding ? [binding] : [])));
  for (const binding of shown) codes.set(binding, `${name}.value.${binding.name}`);
  for (const use of uses) if (isIn(use)) scope.rewritten.add(use.node);
  const { edits } = scope;
  edits.appendLeft(first.start, `const ${name} = ${client.runtime(PATHS.core, "computed")}(() => {\n`);
  for (const { start, end } of others) edits.move(start, end, first.end).prependRight(start, "\n");
  edits.appendRight(
    (others.at(-1) ?? first).end,
    `\nreturn { ${[...shown].map((one) => one.name).join(", ")} };\n});\n`,
  );
}
