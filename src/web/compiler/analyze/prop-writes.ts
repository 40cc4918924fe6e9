/** Rejects assignments to props: a component would change only its own copy (SVC113). */
import type { Module } from "./analyze.ts";
import { memberName } from "../parse/ast.ts";
import { assignOf, changeOf } from "./mutations.ts";
import { diagnostic } from "../diagnostics.ts";

/** Reports SVC113 for `props.x = …`, `props.x++`, `delete props.x` and `Object.assign(props, …)` */
export function refusePropMutation(module: Module): void {
  for (const { binding, node, name } of module.scopes.references) {
    if (!binding?.owner || !module.components.has(binding.owner) || module.kind(binding) !== "props") continue;
    const member = module.parentOf(node);
    const target = member?.type === "MemberExpression" && member.object === node ? member : undefined;
    const change = target ? changeOf(module, target) : assignOf(module, node);
    if (!change) continue;
    const prop = target ? (memberName(target) ?? "x") : "x";
    const error = diagnostic(
      module.file,
      "SVC113",
      change,
      `"${name}" belongs to the parent component, which would not see the change. Pass a signal and set ${name}.${prop}.value, or keep a copy: const ${prop} = signal(${name}.${prop}).`,
    );
    module.problems.add(error);
  }
}
