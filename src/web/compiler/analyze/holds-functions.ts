/** Tells whether the constant of a module contains functions, which the browser gets with the code of the module only. */
import { holdsJsx, isFunction, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { functionOf, svcImport } from "./declaration-kinds.ts";

/** @param init value of the constant. An import in an object may be a function too. */
export function holdsFunctions(init: Node, scopes: Scopes): boolean {
  const value = unwrap(init);
  if (holdsJsx(value)) return false;
  if (isFunction(value)) return true;
  if (value.type === "CallExpression") return value.arguments.some((item) => isFunction(item));
  if (value.type !== "ObjectExpression" && value.type !== "ArrayExpression") return false;
  return (
    containsFunction(value) ||
    scopes.within(value).some(({ binding, parent }) => {
      if (
        !binding ||
        !/^(?:Property|SpreadElement|ArrayExpression)$/.test(parent.type) ||
        /^[A-Z].*[a-z]/.test(binding.name)
      )
        return false;
      return binding.declared === "import" ? svcImport(binding) === undefined : functionOf(binding) !== undefined;
    })
  );
}

function containsFunction(code: Node): boolean {
  let found = false;
  walk(code, (node) => {
    found ||= isFunction(node);
    return !found;
  });
  return found;
}
