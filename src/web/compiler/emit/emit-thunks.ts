/** Step 4, browser code: emits functions that read the current value of an expression. */
import type { Module } from "../analyze/analyze.ts";
import { namesSignal } from "../analyze/shown-liveness.ts";
import type { Captures, Place } from "../extract/captures.ts";
import type { Code } from "../model.ts";
import { beginsWithBrace, type Node } from "../parse/ast.ts";

export function thunk(module: Module, captures: Captures, expression: Node, place: Place): Code {
  captures.capture(expression, place);
  return ["() => ", ...result(module, expression)];
}

/** Code of the value of an expression, behind an arrow. */
export function result(module: Module, expression: Node): Code {
  return beginsWithBrace(expression) ? ["(", expression, ")"] : [expression, accessOf(module, expression)];
}

/** `.value` for a signal by its own name, which the server writes as its value too. */
export function accessOf(module: Module, expression: Node): string {
  return namesSignal(module, expression) ? ".value" : "";
}
