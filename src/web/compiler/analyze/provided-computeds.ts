/** Finds computeds that are made inside of the value of a provider: `<Cart.Provider value={{ total: computed(() => …) }}>`. */
import { tagName, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { svcName } from "./declaration-kinds.ts";

/** The parts of a module that show where a node is. */
interface Surroundings {
  readonly scopes: Scopes;
  parentOf(node: Node): Node | undefined;
}

/** Whether a node is such a computed, alone or in objects and arrays. The browser makes it once, from what it reads. */
export function isProvidedComputed(module: Surroundings, node: Node): boolean {
  if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== "computed") return false;
  let at = module.parentOf(node);
  while (at && (AROUND.has(at.type) || (at.type === "Property" && at.kind === "init"))) at = module.parentOf(at);
  const attribute = at?.type === "JSXExpressionContainer" ? module.parentOf(at) : undefined;
  const tag = attribute?.type === "JSXAttribute" ? module.parentOf(attribute) : undefined;
  return tag?.type === "JSXOpeningElement" && tagName(tag.name).endsWith(".Provider");
}

const AROUND = new Set(["ObjectExpression", "ArrayExpression", "ParenthesizedExpression"]);
