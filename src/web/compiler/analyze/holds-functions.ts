/** Tells whether the constant of a module contains functions, which the browser gets with the code of the module only. */
import { holdsJsx, isFunction, isJsx, unwrap, walk, type Node } from "../parse/ast.ts";
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

/**
 * Whether a constant of a component has JSX and functions beside it: `[{ icon: <Star />, label: () => count.value }]`. The server sends such
 * a value, because the browser can't make the JSX again.
 */
export function holdsJsxAndFunctions(init: Node): boolean {
  const value = unwrap(init);
  if ((value.type !== "ObjectExpression" && value.type !== "ArrayExpression") || !holdsJsx(value)) return false;
  let found = false;
  walk(value, (node) => {
    if (isJsx(node)) return false;
    if (isFunction(node)) found ||= !holdsJsx(node);
    return !found && !isFunction(node);
  });
  return found;
}

function containsFunction(code: Node): boolean {
  let found = false;
  walk(code, (node) => {
    found ||= isFunction(node);
    return !found;
  });
  return found;
}
