/** Finds variables whose value does not change any more where JSX shows them: `let label = "none"; if (isLarge) label = "large";`. */
import { isInside, type Module } from "./analyze.ts";
import { initOf } from "./declaration-kinds.ts";
import { isFunction, unwrap, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

const LOOP = /^(?:For|ForIn|ForOf|While|DoWhile)Statement$/;

/** Whether each assignment is before the reference, in the same run of the component's own code. */
export function hasLastValue(module: Module, { node }: Reference, binding: Binding): boolean {
  const { owner } = binding;
  const init = initOf(binding);
  // The browser can't get a function as a value.
  if (owner === null || !module.components.has(owner) || (init && isFunction(unwrap(init)))) return false;
  return module.scopes.references.every((other) => {
    if (other.binding !== binding || !other.isWrite) return true;
    const around = aroundOf(module, other.node);
    return (
      other.node.end <= node.start &&
      around.find(isFunction) === owner &&
      !around.some((at) => LOOP.test(at.type) && isInside(node, at))
    );
  });
}

/** The nodes around a node, innermost first. */
function aroundOf(module: Module, node: Node): Node[] {
  const around: Node[] = [];
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) around.push(at);
  return around;
}
