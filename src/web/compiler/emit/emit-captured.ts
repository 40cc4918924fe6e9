/** Step 4, server code of captured values: of the result of a hook or the value of a context, only what the component uses. */
import type { Module } from "../analyze/analyze.ts";
import { heldName } from "../analyze/held-state.ts";
import { membersUsed } from "../analyze/members-used.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import type { Slot } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

/** Code of the value of a slot. */
export function capturedCode(
  module: Module,
  out: ServerOutput,
  { source, node }: Pick<Slot, "source" | "node">,
): string {
  const binding = bindingAt(module, node);
  const fn = binding && source === binding.name ? componentOf(module, node) : undefined;
  if (!fn || !binding || heldName(module, fn, binding) === undefined) return source;
  const names = membersUsed(module, fn, binding);
  return names === undefined ? source : `${out.use("only")}(${source}, ${JSON.stringify(names)})`;
}
