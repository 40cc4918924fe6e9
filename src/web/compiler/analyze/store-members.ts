/** Refuses getters and functions in the object of `store(…)`: a page contains a store as data (SVC107). */
import type { ESTree } from "vite";
import { diagnostic } from "../diagnostics.ts";
import { isFunction, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { svcName } from "./declaration-kinds.ts";

export function refuseStoreMembers(module: Module): void {
  if (!/\bstore\b/.test(module.file.text)) return;
  walk(module.program, (node) => {
    if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== "store") return;
    const [object] = node.arguments;
    const parent = module.parentOf(node);
    const name = parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "state";
    if (object) refuseIn(module, object, name);
  });
}

/** @param name of the store */
function refuseIn(module: Module, value: Node, name: string): void {
  const inner = unwrap(value);
  if (inner.type === "ArrayExpression") for (const item of inner.elements) if (item) refuseIn(module, item, name);
  if (inner.type !== "ObjectExpression") return;
  for (const property of inner.properties) {
    if (property.type !== "Property") continue;
    const isFunctionValue = isFunction(unwrap(property.value));
    if (!isFunctionValue) refuseIn(module, property.value, name);
    else module.problems.add(diagnostic(module.file, "SVC107", property.key, messageFor(property, name, module)));
  }
}

function messageFor({ key, kind }: ESTree.ObjectProperty, name: string, { file }: Module): string {
  const member = key.type === "Identifier" ? key.name : file.text.slice(key.start, key.end);
  const data = "A page contains a store as data.";
  if (kind !== "init")
    return `${data} It would contain the value of "${member}" instead of the getter, and never update it. Write const ${member} = computed(() => …) beside the store, with ${name} in place of this.`;
  return `${data} It can't contain the function "${member}". Write const ${member} = () => … beside the store, with ${name} in place of this. A hook may return both: { ${name}, ${member} }.`;
}
