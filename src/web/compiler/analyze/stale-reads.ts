/**
 * Rejects stale reads (SVC112): `const n = count.value` in a component's body, displayed in its JSX. The body runs once, so the
 * displayed `n` would never change.
 */
import type { ESTree } from "vite";
import { isResultOfHook, type Module } from "./analyze.ts";
import {
  holdsJsx,
  isComponentTag,
  isFunction,
  isJsx,
  memberName,
  returnsOf,
  tagName,
  unwrap,
  walk,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { diagnostic, MAX_QUOTED, placeIn } from "../diagnostics.ts";
import { functionOf, initOf, svcName } from "./declaration-kinds.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import { obstacleOf, type Obstacle } from "../extract/early-return-forms.ts";
import { mayReturn } from "./early-returns.ts";
import { rootOfObject } from "./prop-names.ts";
import { assigning } from "./repeatable.ts";
import { METHODS } from "./methods.ts";
import { valueSources } from "./value-sources.ts";

/** Reports SVC112 at each place that displays such a value. */
export function refuseStaleReads(module: Module): void {
  const sources = new Map<Binding, string | undefined>();
  const sourceOf = (binding: Binding): string | undefined => {
    if (sources.has(binding)) return sources.get(binding);
    sources.set(binding, undefined);
    const found = isOfComponent(module, binding) ? takenFrom(module, binding, sourceOf) : undefined;
    sources.set(binding, found);
    return found;
  };
  for (const reference of module.scopes.references) {
    const { binding } = reference;
    const source = binding && (sourceOf(binding) ?? hookReadOf(module, reference, binding));
    if (source === undefined || !isShown(module, reference)) continue;
    const { name, node } = reference;
    const error = diagnostic(
      module.file,
      "SVC112",
      node,
      `"${name}" was read from ${source} once, when the component ran, so the displayed value never changes. ${fixOf(module, reference, source, sourceOf)} const ${name} = untrack(() => …) marks it as intended.`,
    );
    module.problems.add(error);
  }
  for (const fn of module.components) refuseStaleBranches(module, fn, sourceOf);
}

/** The signal of a hook's result whose value chooses the component of a tag: `const View = router.view.value` and `<View />`. */
function hookReadOf(module: Module, { node }: Reference, binding: Binding): string | undefined {
  const init = isOfComponent(module, binding) && isTag(module, node) ? initOf(binding) : undefined;
  return init && valueOfHook(module, init);
}

/** The first `.value` of a hook's result that an expression reads. */
function valueOfHook(module: Module, expression: Node): string | undefined {
  let found: string | undefined;
  walk(expression, (part) => {
    if (isFunction(part) || found !== undefined) return false;
    const root = part.type === "MemberExpression" && memberName(part) === "value" ? rootOfObject(part) : undefined;
    const source = root && bindingOf(module, root);
    if (source && isResultOfHook(source)) found = module.file.text.slice(part.start, part.end);
    return undefined;
  });
  return found;
}

/** A value that another constant has read from the signal needs two computeds. */
function fixOf(
  module: Module,
  { name, node, binding }: Reference,
  source: string,
  sourceOf: (binding: Binding) => string | undefined,
): string {
  const init = binding?.source.type === "VariableDeclarator" ? binding.source.init : undefined;
  const text = init ? module.file.text.slice(init.start, init.end) : "";
  const isWhole = binding?.source.type === "VariableDeclarator" && binding.source.id.type === "Identifier";
  const shown =
    binding?.declared !== "const"
      ? undefined
      : !isWhole
        ? source
        : text.includes(source) && text.length <= MAX_QUOTED
          ? text
          : undefined;
  if (init && isTag(module, node)) return `Write <Dynamic is={${text.length <= MAX_QUOTED ? text : "…"}} /> here;`;
  if (binding && valueSources(module, binding).some(holdsJsx))
    return `Write its code in the JSX, or in a function: const ${name} = () => …; and {${name}()};`;
  const between = init ? module.scopes.within(init).find((one) => one.binding && sourceOf(one.binding)) : undefined;
  if (between && !text.includes(source))
    return `Make both computeds: const ${between.name} = computed(() => …), const ${name} = computed(() => … ${between.name}.value …), and write {${name}.value} here;`;
  const computed = `const ${name} = computed(() => …) and {${name}.value};`;
  return shown === undefined ? `Write ${computed}` : `Write {${shown}} here, or ${computed}`;
}

/** `if (count.value > 9) return <b/>` selects the branch only once where the returns are no condition (extract/early-return-forms.ts). */
function refuseStaleBranches(
  module: Module,
  fn: FunctionNode,
  sourceOf: (binding: Binding) => string | undefined,
): void {
  const tests = testsOfReturns(fn);
  const obstacle = tests.length > 0 ? obstacleOf(fn, module.scopes) : undefined;
  for (const test of tests) {
    const source = readIn(module, test, sourceOf) ?? (obstacle && valueOfHook(module, test));
    if (source === undefined) continue;
    const error = diagnostic(
      module.file,
      "SVC112",
      test,
      `${source} is read once, when the component runs, so it always returns the same JSX. ${fixOfReturns(module, obstacle)}; untrack(() => …) around the condition marks it as intended.`,
    );
    module.problems.add(error);
  }
}

function fixOfReturns({ file }: Module, obstacle: Obstacle | undefined): string {
  if (!obstacle || obstacle.isReturn) return "Return one element with {condition ? <a/> : <b/>} or <Show> inside";
  const { start, end } = obstacle.node;
  const code = file.text.slice(start, end);
  const shown = code.length <= MAX_QUOTED && !code.includes("\n") ? `\`${code}\`` : "a statement";
  return `Returns follow it if what stands between them may run before them, but ${shown} (line ${placeIn(file, start).line}) may not. Write it before the first return, or move what follows the return into a component of its own`;
}

/** Expressions of a component's own code that decide which JSX it returns. */
function testsOfReturns(fn: FunctionNode): Node[] {
  const tests: Node[] = [];
  if (fn.body?.type !== "BlockStatement") return tests;
  walk(fn.body, (node) => {
    if (isFunction(node) || isJsx(node)) return false;
    if (node.type === "IfStatement" && returnsJsx(node)) tests.push(node.test);
    if (node.type === "SwitchStatement" && returnsJsx(node)) tests.push(node.discriminant);
    return undefined;
  });
  return tests;
}

function returnsJsx(statement: Node): boolean {
  return mayReturn(statement) && holdsJsx(statement);
}

function isOfComponent(module: Module, { declared, owner }: Binding): boolean {
  return ["const", "let", "var"].includes(declared) && owner !== null && module.components.has(owner);
}

/** @returns the source of the reactive read in a constant's initializer, if there is one. */
function takenFrom(
  module: Module,
  binding: Binding,
  sourceOf: (binding: Binding) => string | undefined,
): string | undefined {
  const { source } = binding;
  if (binding.declared !== "const") return readByStatements(module, binding, sourceOf);
  if (source.type !== "VariableDeclarator" || !source.init) return undefined;
  const init = unwrap(source.init);
  if (source.id.type !== "Identifier") return destructured(module, source.id, init, binding.node);
  if (isReactive(module, init)) return undefined;
  return firstRead(module, valueSources(module, binding), sourceOf);
}

/** The reactive read that the value of a variable depends on. */
function readByStatements(
  module: Module,
  binding: Binding,
  sourceOf: (binding: Binding) => string | undefined,
): string | undefined {
  return firstRead(module, assigning(module, binding)?.statements ?? valueSources(module, binding), sourceOf);
}

function firstRead(
  module: Module,
  sources: readonly Node[],
  sourceOf: (binding: Binding) => string | undefined,
): string | undefined {
  for (const source of sources) {
    const found = readIn(module, source, sourceOf);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `const { theme } = prefs`, `const { value } = count`. */
function destructured(module: Module, pattern: Node, init: Node, name: Node): string | undefined {
  if (pattern.type !== "ObjectPattern" || init.type !== "Identifier") return readIn(module, init);
  const binding = module.scopes.within(init)[0]?.binding;
  const kind = binding && module.kind(binding);
  if (kind !== "store" && kind !== "signal" && kind !== "computed") return undefined;
  const key = keyOf(pattern, name);
  return key === undefined ? init.name : `${init.name}.${key}`;
}

/** `theme` for `t` in `{ theme: t }`. */
function keyOf(pattern: Node, name: Node): string | undefined {
  if (pattern.type !== "ObjectPattern") return undefined;
  for (const property of pattern.properties)
    if (property.type === "Property" && property.value === name && property.key.type === "Identifier")
      return property.computed ? undefined : property.key.name;
  return undefined;
}

/** Whether the initializer creates a reactive value, or marks an intended single read with `untrack`. */
function isReactive(module: Module, init: Node): boolean {
  if (init.type !== "CallExpression") return false;
  const name = svcName(init.callee, module.scopes);
  return (
    name !== undefined &&
    ["signal", "store", "computed", "resource", "untrack", "createRef", "useContext"].includes(name)
  );
}

/** The first reactive read when `root` is evaluated. */
function readIn(
  module: Module,
  root: Node,
  sourceOf: (binding: Binding) => string | undefined = () => undefined,
): string | undefined {
  let found: string | undefined;
  const visited = new Set<Node>();
  const visit = (from: Node): void =>
    walk(from, (node) => {
      if (found !== undefined || isFunction(node) || isJsx(node)) return false;
      if (node.type === "CallExpression") {
        if (svcName(node.callee, module.scopes) === "untrack") return false;
        const called = node.callee.type === "Identifier" ? bindingOf(module, node.callee) : undefined;
        const fn = called?.owner ? functionOf(called) : undefined;
        for (const run of [...(fn ? [fn] : []), ...functionsOfList(node)]) {
          if (run.body === null || visited.has(run)) continue;
          visited.add(run);
          visit(run.body);
        }
      }
      if (node.type === "Identifier") {
        const binding = bindingOf(module, node);
        found ??= binding && sourceOf(binding);
      }
      if (node.type === "MemberExpression") found ??= ownRead(module, node);
      return found === undefined;
    });
  visit(root);
  return found;
}

/** Functions that a method of a list runs: `items.find((item) => item.id === id.value)`. */
function functionsOfList({ callee, arguments: given }: ESTree.CallExpression): FunctionNode[] {
  const name = callee.type === "MemberExpression" ? memberName(callee) : undefined;
  return name !== undefined && METHODS.has(name) ? given.filter(isFunction) : [];
}

/** The source of `count.value` of a signal, computed or resource, or `prefs.theme` of a store. */
function ownRead(module: Module, node: ESTree.MemberExpression): string | undefined {
  const object = unwrap(node.object);
  const binding = object.type === "Identifier" ? bindingOf(module, object) : undefined;
  if (!binding || binding.owner === null) return undefined;
  const kind = module.kind(binding);
  const isReactiveValue = kind === "signal" || kind === "computed" || kind === "resource";
  const isRead = kind === "store" || (isReactiveValue && memberName(node) === "value");
  if (!isRead || initOf(binding) === undefined) return undefined;
  return module.file.text.slice(node.start, node.end);
}

function bindingOf(module: Module, node: Node): Binding | undefined {
  return module.scopes.within(node).find((reference) => reference.node === node)?.binding;
}

/**
 * Whether JSX displays the value of a name: in text, an attribute or a prop, but not in a handler.
 * @param isPropShown whether props of components count.
 */
export function isShown(module: Module, { node }: Reference, isPropShown = true): boolean {
  if (isTag(module, node)) return true;
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) {
    if (isFunction(at) && !returnsOf(at).some(holdsJsx)) return false;
    if (at.type === "JSXSpreadAttribute") return true;
    if (at.type !== "JSXExpressionContainer") continue;
    const holder = module.parentOf(at);
    if (holder?.type !== "JSXAttribute") return true;
    if (!isPropShown && isComponentTag(tagName((module.parentOf(holder) as ESTree.JSXOpeningElement).name)))
      return false;
    const name = holder.name.type === "JSXIdentifier" ? holder.name.name : "";
    return !/^(?:on[A-Z]|ref$|key$|by$)/.test(name);
  }
  return false;
}

/** Whether a name is the tag of an element, or the object of one. */
function isTag(module: Module, name: Node): boolean {
  let at = module.parentOf(name);
  while (at?.type === "JSXMemberExpression") at = module.parentOf(at);
  return at?.type === "JSXOpeningElement";
}
