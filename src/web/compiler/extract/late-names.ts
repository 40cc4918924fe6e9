/**
 * Declarations behind an early return: `if (!user.value) return <Login />; const name = user.value.name`. When the returns become one condition,
 * the declarations are evaluated before it. Functions and new state stay as they are. Constants that may need the condition become functions.
 */
import type { ESTree } from "vite";
import { kindOf, svcName } from "../analyze/declaration-kinds.ts";
import { isCallOfHook, isOwn, readsAtOnce } from "../analyze/current-reads.ts";
import type { Edit } from "../edits.ts";
import { childrenOf, isFunction, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { patternNames, type Binding, type Reference, type Scopes } from "../parse/scopes.ts";
import { replaceWith, type Piece } from "./moved-code.ts";

/** `kept`: it may run before the condition. `late`: it can be a function. `never`: neither, such as state whose first value may need the condition. */
export type Lateness = "kept" | "late" | "never";

const NEW_STATE = new Set(["signal", "store", "computed", "createRef", "useContext"]);

export function latenessOf({ id, init }: ESTree.VariableDeclarator, fn: FunctionNode, scopes: Scopes): Lateness {
  const value = init && unwrap(init);
  if (!value || isFunction(value)) return "kept";
  if (value.type === "CallExpression" && createsState(value, scopes))
    return value.arguments.every((argument) => isSafe(argument, scopes)) ? "kept" : "never";
  if (!readsAtOnce(value, scopes).some(({ binding }) => binding && isOwn(binding, fn))) return "kept";
  if (value.type === "Identifier" && keepsName(id, value, scopes)) return "kept";
  return canBeLate(id, scopes) ? "late" : "never";
}

/** Whether a constant reads nothing but what the component has, so that the browser can evaluate it. */
export function isOfComponent(init: Node, fn: FunctionNode, scopes: Scopes): boolean {
  return scopes.within(init).every(({ binding }) => binding !== undefined && isOwn(binding, fn));
}

/**
 * Whether a declaration creates state from what the tests of returns read: `if (props.user === undefined) return …; const name = signal(props.user)`.
 * Before the condition its first value is the one that the returns exclude.
 */
export function createsFromTests({ init }: ESTree.VariableDeclarator, tests: readonly Node[], scopes: Scopes): boolean {
  const call = init && unwrap(init);
  if (call?.type !== "CallExpression" || !createsState(call, scopes)) return false;
  const tested = tests.flatMap((test) => pathsIn(test, scopes));
  return call.arguments
    .flatMap((argument) => (isFunction(argument) ? [] : pathsIn(argument, scopes)))
    .some((path) => tested.some((other) => path === other || path.startsWith(`${other}.`)));
}

/** `12.user.name` for `props.user.name`, with the position of the declaration of `props`. */
function pathsIn(code: Node, scopes: Scopes): string[] {
  const found: string[] = [];
  walk(code, (node) => {
    const names: string[] = [];
    let root: Node = node;
    for (; root.type === "MemberExpression"; root = unwrap(root.object)) names.unshift(memberName(root) ?? "*");
    if (root.type !== "Identifier") return undefined;
    const binding = scopes.within(root).find((one) => one.node === root)?.binding;
    if (binding) found.push([binding.node.start, ...names].join("."));
    return false;
  });
  return found;
}

function createsState(call: ESTree.CallExpression, scopes: Scopes): boolean {
  const name = svcName(call.callee, scopes);
  return name === undefined ? isCallOfHook(call) : NEW_STATE.has(name);
}

/** Whether the evaluation can't fail: no calls, and members only of the props. */
function isSafe(node: Node, scopes: Scopes): boolean {
  const inner = unwrap(node);
  if (inner.type === "MemberExpression") {
    const [root] = inner.object.type === "Identifier" ? scopes.within(inner.object) : [];
    return !inner.computed && root?.binding !== undefined && isProps(root.binding);
  }
  if (isFunction(inner)) return true;
  if (inner.type === "CallExpression" || inner.type === "NewExpression" || inner.type === "AwaitExpression")
    return false;
  return childrenOf(inner).every((child) => isSafe(child, scopes));
}

/** Another name of a value, or names of its members: `const { count, add } = form`. A store has to be read where it is shown. */
function keepsName(id: Node, value: Node, scopes: Scopes): boolean {
  const binding = scopes.within(value)[0]?.binding;
  if (id.type === "Identifier") return true;
  const isFlat =
    id.type === "ObjectPattern" &&
    id.properties.every((item) => (item.type === "Property" ? item.value : item.argument).type === "Identifier");
  return isFlat && binding !== undefined && kindOf(binding, scopes) !== "store" && !isNarrowed(binding);
}

function isProps({ declared, owner, node }: Binding): boolean {
  return declared === "param" && owner?.params[0] === node;
}

/** Whether a value may be null: props and the results of hooks are objects. */
function isNarrowed(binding: Binding): boolean {
  const { source } = binding;
  if (isProps(binding)) return false;
  return source.type !== "VariableDeclarator" || !source.init || !isCallOfHook(unwrap(source.init));
}

function canBeLate(id: Node, scopes: Scopes): boolean {
  if (!isSimple(id)) return false;
  return patternNames(id).every((name) => {
    const binding = scopes.bindingAt(name);
    return binding?.declared === "const" && usesOf(binding, scopes).every(canCall);
  });
}

/** A name, or an object of names without defaults. */
function isSimple(id: Node): boolean {
  if (id.type === "Identifier") return true;
  return (
    id.type === "ObjectPattern" &&
    id.properties.every(
      (item) =>
        item.type === "Property" &&
        !item.computed &&
        item.key.type === "Identifier" &&
        item.value.type === "Identifier",
    )
  );
}

function usesOf(binding: Binding, scopes: Scopes): Reference[] {
  return scopes.references.filter((use) => use.binding === binding && use.node !== binding.node);
}

/** A tag can't be a call. */
function canCall({ node, isWrite }: Reference): boolean {
  return node.type === "Identifier" && !isWrite;
}

/** @returns the change that makes functions of constants: `const name = () => (user.value.name)`, and `name()` where it is used. */
export function lateEdits(text: string, declarators: readonly ESTree.VariableDeclarator[], scopes: Scopes): Edit[] {
  return declarators.flatMap((declarator) => [
    ...declarationEdits(text, declarator),
    ...patternNames(declarator.id).flatMap((name) => {
      const binding = scopes.bindingAt(name);
      return binding ? usesOf(binding, scopes).map(callEdit) : [];
    }),
  ]);
}

function declarationEdits(text: string, { id, init }: ESTree.VariableDeclarator): Edit[] {
  if (!init) return [];
  const { start, end } = init;
  if (id.type !== "ObjectPattern")
    return [
      { start, end: start, insert: "() => (" },
      { start: end, end, insert: ")" },
    ];
  const pieces = id.properties.flatMap((item, at): Piece[] => {
    if (item.type !== "Property" || item.key.type !== "Identifier" || item.value.type !== "Identifier") return [];
    return [`${at === 0 ? "" : ", "}${item.value.name} = () => (`, { start, end }, `).${item.key.name}`];
  });
  return replaceWith(text, { start: id.start, end }, pieces);
}

function callEdit({ node, parent, name }: Reference): Edit {
  const isShorthand = parent.type === "Property" && parent.shorthand && parent.value === node;
  return { start: node.end, end: node.end, insert: isShorthand ? `: ${name}()` : "()" };
}

/** Whether no other name of a component is the same as one that a statement declares, so that it may move to the others. */
export function isUnique({ start, end }: Node, fn: FunctionNode, { bindings, references }: Scopes): boolean {
  const isInside = (node: Node): boolean => node.start >= fn.start && node.end <= fn.end;
  return bindings
    .filter((one) => one.owner === fn && one.node.start >= start && one.node.end <= end)
    .every(
      (one) =>
        !bindings.some((other) => other !== one && other.name === one.name && isInside(other.node)) &&
        !references.some((use) => use.binding !== one && use.name === one.name && isInside(use.node)),
    );
}
