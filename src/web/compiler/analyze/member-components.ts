/**
 * Finds components that are members, without a name of their own: `Card.Title = (props) => <h3/>`, and functions in a constant of the module,
 * `{ text: (props) => <b/> }`, whose members the module uses as tags. Functions that are called are none: `views[mode.value]()`.
 */
import type { ESTree } from "vite";
import {
  holdsJsx,
  isFunction,
  memberName,
  returnsOf,
  unwrap,
  walk,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

export function memberComponents(program: ESTree.Program, scopes: Scopes): FunctionNode[] {
  const uses = new MemberUses(program, scopes);
  const assigned = program.body.flatMap((statement) => {
    const node = statement.type === "ExpressionStatement" ? statement.expression : undefined;
    if (node?.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return [];
    return isComponent(node.right) && uses.isTag(memberName(node.left), undefined) ? [node.right] : [];
  });
  const namespaces = exportedNamespaces(program);
  const tables = scopes.bindings.flatMap((table) => {
    const { owner, declared, source } = table;
    if (owner !== null || declared !== "const" || source.type !== "VariableDeclarator" || !source.init) return [];
    return functionsIn(source.init)
      .filter(({ key }) => uses.isTag(key, table, namespaces.has(source)))
      .map(({ fn }) => fn);
  });
  return [...assigned, ...tables];
}

/** Constants whose members other files show by their names: `export const Icons = { sun: (props) => <svg/> }`, but not `COLUMNS`. */
function exportedNamespaces(program: ESTree.Program): ReadonlySet<Node> {
  const found = program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && statement.declaration?.type === "VariableDeclaration"
      ? statement.declaration.declarations
      : [],
  );
  return new Set(found.filter(({ id }) => id.type === "Identifier" && /^[A-Z].*[a-z]/.test(id.name)));
}

/** The functions with JSX in a literal, with the names of their properties. */
function functionsIn(init: Node): { key: string | undefined; fn: FunctionNode }[] {
  const node = unwrap(init);
  if (node.type === "ArrayExpression") return node.elements.flatMap((item) => (item ? functionsIn(item) : []));
  if (node.type !== "ObjectExpression") return [];
  return node.properties.flatMap((item) => {
    if (item.type !== "Property" || item.method) return [];
    const key = item.key.type === "Identifier" && !item.computed ? item.key.name : undefined;
    const value = unwrap(item.value);
    return isComponent(value) ? [{ key, fn: value }] : functionsIn(value);
  });
}

function isComponent(node: Node): node is FunctionNode {
  return isFunction(node) && returnsOf(node).some(holdsJsx);
}

/** Which members a module uses as tags, and which it calls. */
class MemberUses {
  readonly #scopes: Scopes;
  readonly #tagTables = new Set<Binding>();
  readonly #tagNames = new Set<string>();
  readonly #calledTables = new Set<Binding>();
  readonly #calledNames = new Set<string>();

  constructor(program: ESTree.Program, scopes: Scopes) {
    this.#scopes = scopes;
    walk(program, (node) => {
      if (node.type === "CallExpression") this.#add(unwrap(node.callee), this.#calledTables, this.#calledNames);
      else for (const tag of tagsIn(node)) this.#add(tag, this.#tagTables, this.#tagNames);
      return undefined;
    });
  }

  /** @param key of the member. @param table that contains it. @param isNamespace whether other files may show the member */
  isTag(key: string | undefined, table: Binding | undefined, isNamespace = false): boolean {
    if ((table && this.#calledTables.has(table)) || (key !== undefined && this.#calledNames.has(key))) return false;
    return (
      isNamespace ||
      (table && this.#tagTables.has(table)) ||
      (key !== undefined && (/^[A-Z]/.test(key) || this.#tagNames.has(key)))
    );
  }

  /** Records the constant that contains a member; for the item of a row, the name of the member. */
  #add(member: Node, tables: Set<Binding>, names: Set<string>): void {
    if (member.type !== "MemberExpression" && member.type !== "JSXMemberExpression") return;
    const name = member.type === "MemberExpression" ? memberName(member) : member.property.name;
    let root: Node = member;
    while (root.type === "MemberExpression" || root.type === "JSXMemberExpression") root = unwrap(root.object);
    const table = this.#scopes.within(root).find(({ node }) => node === root)?.binding;
    if (table?.owner === null) tables.add(table);
    else if (name !== undefined) names.add(name);
  }
}

/** What a node uses as a tag: `<tab.view />`, `const Icon = ICONS[kind]`, `<Dynamic is={PAGES[page.value]} />`. */
function tagsIn(node: Node): Node[] {
  if (node.type === "JSXOpeningElement") return [node.name];
  if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && /^[A-Z]/.test(node.id.name))
    return node.init ? leaves(node.init) : [];
  const isChoice = node.type === "JSXAttribute" && node.name.name === "is";
  return isChoice && node.value?.type === "JSXExpressionContainer" ? leaves(node.value.expression) : [];
}

/** The values among which an expression chooses. */
function leaves(node: Node): Node[] {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression") return [...leaves(inner.consequent), ...leaves(inner.alternate)];
  if (inner.type === "LogicalExpression") return [...leaves(inner.left), ...leaves(inner.right)];
  return [inner];
}
