/** Rejects syntax that browsers lack (SVC124). */
import type { ESTree } from "vite";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import type { Problems } from "../problems.ts";
import { walk, type Node } from "../parse/ast.ts";

/** Reports SVC124 for decorators and `accessor` fields, which neither Node nor browsers run. */
export function refuseUnsupportedSyntax(file: SourceFile, program: ESTree.Program, problems: Problems): void {
  if (!/@|\baccessor\b/.test(file.text)) return;
  walk(program, (node: Node) => {
    const decorator = "decorators" in node && Array.isArray(node.decorators) ? node.decorators[0] : undefined;
    const what = decorator ? "A decorator" : node.type === "AccessorProperty" ? "An accessor field" : undefined;
    if (what === undefined) return;
    const error = diagnostic(
      file,
      "SVC124",
      decorator ?? node,
      `${what} would reach the browser as it is, and browsers can't run it yet. ${decorator ? "Call a function instead: twice = logged(this.twice)" : "Write a private field with get and set"}.`,
    );
    problems.add(error);
  });
}
