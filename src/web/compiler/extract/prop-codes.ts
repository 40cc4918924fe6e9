/**
 * Reads of destructured props as reads of the props object, so that they stay live in a component that the browser creates: `text` of
 * `({ text = "none" })` becomes a read of `props.text`.
 */
import { isInside, type Module } from "../analyze/analyze.ts";
import { initOf } from "../analyze/declaration-kinds.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Name of the props of a created component whose source does not name them. */
export function propsName({ names }: { names: { prefix: string } }): string {
  return `${names.prefix}props`;
}

/**
 * Code for each name of the component that is a prop.
 * @param fn the component. @param name of its props object, if its parameter is a pattern.
 */
export function propCodes(module: Module, fn: FunctionNode, name: string): Map<Binding, string> {
  const component = { module, fn, propsName: name };
  const codes = new Map<Binding, string>();
  for (const binding of module.scopes.bindings) {
    const code = isInside(binding.node, fn) ? codeOf(component, binding) : undefined;
    if (code !== undefined) codes.set(binding, code);
  }
  return codes;
}

interface Component {
  module: Module;
  fn: FunctionNode;
  /** Of its props object, if its parameter is a pattern. */
  propsName: string;
}

function codeOf(component: Component, binding: Binding): string | undefined {
  const { module, fn, propsName: name } = component;
  const [param] = fn.params;
  const { source } = binding;
  if (param?.type === "ObjectPattern" && isInside(binding.node, param)) return pathIn(param, binding, name, component);
  if (source.type !== "VariableDeclarator" || binding.declared !== "const" || !source.init) return undefined;
  const init = unwrap(source.init);
  const sourceText = module.file.text.slice(init.start, init.end);
  if (source.id.type === "ObjectPattern")
    return isProps(module, init) ? pathIn(source.id, binding, sourceText, component) : undefined;
  const direct = initOf(binding);
  return direct?.type === "MemberExpression" && isProps(module, direct.object) ? `(${sourceText})` : undefined;
}

function isProps(module: Module, node: Node): boolean {
  const binding = node.type === "Identifier" ? module.scopes.within(node)[0]?.binding : undefined;
  return binding !== undefined && module.kind(binding) === "props";
}

/** `{ a: { b = 1 } }` and `b` -> `props.a.b`, with its default. Undefined for forms that keep their first value, such as computed keys. */
function pathIn(pattern: Node, binding: Binding, base: string, component: Component): string | undefined {
  if (pattern === binding.node) return base;
  if (pattern.type === "AssignmentPattern") {
    if (pattern.left !== binding.node) return pathIn(pattern.left, binding, base, component);
    return `(${base} === undefined ? (${defaultCode(pattern.right, component)}) : ${base})`;
  }
  if (pattern.type !== "ObjectPattern") return undefined;
  const property = pattern.properties.find((item) => isInside(binding.node, item));
  if (property?.type === "RestElement") return restCode(pattern, binding, base, component);
  if (!property || property.computed || property.key.type !== "Identifier") return undefined;
  return pathIn(property.value, binding, `${base}.${property.key.name}`, component);
}

/** Undefined for the rest of all props in a constant: the create function declares it by its own name (emit-create.ts). */
function restCode(pattern: Node, { name }: Binding, base: string, { module, fn }: Component): string | undefined {
  if (pattern === fn.params[0]) return `${base}_rest`;
  if (module.parentOf(pattern)?.type === "VariableDeclarator") return undefined;
  return `((${module.file.text.slice(pattern.start, pattern.end)}) => ${name})(${base})`;
}

/** Source of a default, where names of props before it are reads of the props object as well: `({ a, b = a })`. */
function defaultCode(node: Node, component: Component): string {
  const { scopes, file } = component.module;
  let code = "";
  let at = node.start;
  for (const { binding, name, node: read, parent } of scopes.within(node)) {
    // A default can't read names that are declared behind it.
    const prop = binding && binding.node.start < node.start ? codeOf(component, binding) : undefined;
    if (prop === undefined) continue;
    const key = parent.type === "Property" && parent.shorthand ? `${name}: ` : "";
    code += file.text.slice(at, read.start) + key + prop;
    at = read.end;
  }
  return code + file.text.slice(at, node.end);
}
