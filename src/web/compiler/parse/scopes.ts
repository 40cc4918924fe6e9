/**
 * Resolves every identifier of a module to its declaration. declaration-kinds.ts determines the kind of a declaration (a signal, a local
 * function). Type-only names are left out. Sources: ECMA-262 sections 8.2 (declarations) and 14.3 (block scope).
 */
import type { ESTree } from "vite";
import { childrenOf, type FunctionNode, type Node } from "./ast.ts";

export type Declaration = "import" | "const" | "let" | "var" | "function" | "class" | "enum" | "param" | "catch";

export interface Binding {
  name: string;
  declared: Declaration;
  /** The identifier in the declaration. */
  node: Node;
  /** Declarator, function, class, import specifier or parameter that declares it. */
  source: Node;
  /** Nearest function around the declaration; null at module level. For a parameter, the function itself. */
  owner: FunctionNode | null;
  isAssigned: boolean;
}

/** One use of a name. */
export interface Reference {
  name: string;
  node: Node;
  parent: Node;
  /** Undefined for a global. */
  binding: Binding | undefined;
  isWrite: boolean;
}

export interface Scopes {
  /** All uses, in source order. */
  references: readonly Reference[];
  bindings: readonly Binding[];
  /** Uses inside [start, end). */
  within(span: { start: number; end: number }): Reference[];
  bindingAt(node: Node): Binding | undefined;
}

type Scope = {
  names: Map<string, Binding>;
  parent: Scope | undefined;
  owner: FunctionNode | null;
  isFunction: boolean;
};

export function resolveScopes(program: ESTree.Program): Scopes {
  const bindings: Binding[] = [];
  const references: Reference[] = [];
  const pending: { reference: Reference; scope: Scope }[] = [];
  const root: Scope = { names: new Map(), parent: undefined, owner: null, isFunction: true };

  /** Identifiers of declarations and assignment targets, which the visit of the tree reaches again. */
  const declaredNames = new Set<Node>();
  const written = new Set<Node>();

  function declare(scope: Scope, declared: Declaration, node: Node, source: Node): void {
    if (node.type !== "Identifier") return;
    declaredNames.add(node);
    const known = scope.names.get(node.name);
    if (known && declared === "var") return;
    const binding: Binding = { name: node.name, declared, node, source, owner: scope.owner, isAssigned: false };
    scope.names.set(node.name, binding);
    bindings.push(binding);
  }

  function declarePattern(scope: Scope, declared: Declaration, pattern: Node, source: Node): void {
    for (const id of patternNames(pattern)) declare(scope, declared, id, source);
  }

  function hoist(scope: Scope, statements: readonly Node[]): void {
    for (const statement of statements) {
      const inner =
        (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration") &&
        statement.declaration
          ? statement.declaration
          : statement;
      if (inner.type === "VariableDeclaration") declareVariables(scope, inner);
      else if (inner.type === "FunctionDeclaration" && inner.id) declare(scope, "function", inner.id, inner);
      else if (inner.type === "ClassDeclaration" && inner.id) declare(scope, "class", inner.id, inner);
      else if (inner.type === "TSEnumDeclaration") declare(scope, "enum", inner.id, inner);
      else if (inner.type === "ImportDeclaration") {
        for (const specifier of inner.specifiers) declare(scope, "import", specifier.local, specifier);
      }
    }
  }

  function declareVariables(scope: Scope, declaration: ESTree.VariableDeclaration): void {
    const declared = declaration.kind === "var" || declaration.kind === "let" ? declaration.kind : "const";
    let target = scope;
    while (declared === "var" && !target.isFunction && target.parent) target = target.parent;
    for (const item of declaration.declarations) declarePattern(target, declared, item.id, item);
  }

  function child(scope: Scope, owner: FunctionNode | null = scope.owner, asFunction = false): Scope {
    return { names: new Map(), parent: scope, owner, isFunction: asFunction };
  }

  function enterFunction(node: FunctionNode, scope: Scope): void {
    const inner = child(scope, node, true);
    if (node.type === "FunctionExpression" && node.id) declare(inner, "function", node.id, node);
    for (const param of node.params) declarePattern(inner, "param", param, param);
    for (const param of node.params) visit(param, inner, node);
    if (node.body === null) return;
    if (node.body.type === "BlockStatement") {
      hoist(inner, node.body.body);
      for (const statement of node.body.body) visit(statement, inner, node.body);
    } else visit(node.body, inner, node);
  }

  function refer(node: Node, name: string, parent: Node, scope: Scope, isWrite = false): void {
    const reference: Reference = { name, node, parent, binding: undefined, isWrite };
    references.push(reference);
    pending.push({ reference, scope });
  }

  function visitAll(node: Node, scope: Scope): void {
    for (const inner of childrenOf(node)) visit(inner, scope, node);
  }

  function visit(node: Node, scope: Scope, parent: Node): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return enterFunction(node, scope);
      case "BlockStatement":
      case "StaticBlock": {
        const inner = child(scope);
        hoist(inner, node.body);
        return visitAll(node, inner);
      }
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement": {
        const inner = child(scope);
        const head = node.type === "ForStatement" ? node.init : node.left;
        if (head?.type === "VariableDeclaration") declareVariables(inner, head);
        else if (head && node.type !== "ForStatement") for (const name of patternNames(head)) written.add(name);
        return visitAll(node, inner);
      }
      case "SwitchStatement": {
        const inner = child(scope);
        hoist(
          inner,
          node.cases.flatMap((item) => item.consequent),
        );
        return visitAll(node, inner);
      }
      case "CatchClause": {
        const inner = child(scope);
        if (node.param) declarePattern(inner, "catch", node.param, node);
        return visitAll(node, inner);
      }
      case "Identifier":
        if (!declaredNames.has(node)) refer(node, node.name, parent, scope, written.has(node));
        return undefined;
      case "AssignmentExpression":
        for (const name of patternNames(node.left)) written.add(name);
        return visitAll(node, scope);
      case "UpdateExpression":
        written.add(node.argument);
        return visitAll(node, scope);
      case "TSEnumDeclaration":
        return undefined;
      case "ClassExpression":
        if (node.id) declaredNames.add(node.id);
        return visitAll(node, scope);
      case "JSXElement":
        referTag(node, scope);
        return visitAll(node, scope);
      case "JSXOpeningElement":
        for (const attribute of node.attributes) visit(attribute, scope, node);
        return undefined;
      case "JSXClosingElement":
      case "JSXAttribute":
        if (node.type === "JSXAttribute" && node.value) visit(node.value, scope, node);
        return undefined;
      case "MemberExpression":
        visit(node.object, scope, node);
        if (node.computed) visit(node.property, scope, node);
        return undefined;
      case "Property":
        if (node.computed) visit(node.key, scope, node);
        return visit(node.value, scope, node);
      case "MethodDefinition":
      case "PropertyDefinition":
        if (node.computed) visit(node.key, scope, node);
        if (node.value) visit(node.value, scope, node);
        return undefined;
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "MetaProperty":
      case "LabeledStatement":
      case "BreakStatement":
      case "ContinueStatement":
        if (node.type === "LabeledStatement") visit(node.body, scope, node);
        return undefined;
      case "ExportSpecifier":
        return visit(node.local, scope, node);
      default:
        return visitAll(node, scope);
    }
  }

  function referTag(node: ESTree.JSXElement, scope: Scope): void {
    let name: Node = node.openingElement.name;
    while (name.type === "JSXMemberExpression") name = name.object;
    if (name.type !== "JSXIdentifier") return;
    if (/^[A-Z]/.test(name.name) || node.openingElement.name.type === "JSXMemberExpression") {
      refer(name, name.name, node.openingElement, scope);
    }
  }

  hoist(root, program.body);
  for (const statement of program.body) visit(statement, root, program);
  for (const { reference, scope } of pending) {
    let at: Scope | undefined = scope;
    while (at && !at.names.has(reference.name)) at = at.parent;
    reference.binding = at?.names.get(reference.name);
    if (reference.binding && reference.isWrite) reference.binding.isAssigned = true;
  }
  for (const binding of bindings) if (isConstant(binding)) binding.declared = "const";
  references.sort((left, right) => left.node.start - right.node.start);
  const byNode = new Map(bindings.map((binding) => [binding.node, binding]));
  return {
    references,
    bindings,
    within: (span) => referencesIn(references, span),
    bindingAt: (node) => byNode.get(node),
  };
}

/** A `let` with a value that nothing assigns again is a constant. */
function isConstant({ declared, isAssigned, source }: Binding): boolean {
  return declared === "let" && !isAssigned && source.type === "VariableDeclarator" && source.init !== null;
}

/** @param references in source order, so that a search in a large file does not look at all of them. */
function referencesIn(references: readonly Reference[], { start, end }: { start: number; end: number }): Reference[] {
  let [low, high] = [0, references.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((references[middle] as Reference).node.start < start) low = middle + 1;
    else high = middle;
  }
  const found: Reference[] = [];
  for (let at = low; at < references.length; at++) {
    const reference = references[at] as Reference;
    if (reference.node.start >= end) break;
    if (reference.node.end <= end) found.push(reference);
  }
  return found;
}

/** Identifiers that a pattern declares. */
export function patternNames(pattern: Node): Node[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((item) => patternNames(item.type === "Property" ? item.value : item.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap((item) => (item ? patternNames(item) : []));
    case "AssignmentPattern":
      return patternNames(pattern.left);
    case "RestElement":
      return patternNames(pattern.argument);
    default:
      return [];
  }
}
