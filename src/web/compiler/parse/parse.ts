/** Step 1: TSX text to syntax tree, by the parser inside Vite (oxc), so that the compiler and Vite read the same TSX. */
import { parseSync, type ESTree } from "vite";
import { diagnostic, type SourceFile } from "../diagnostics.ts";

/** @throws SvcError SVC_INVALID with a code frame where the text isn't TSX. */
export function parse(file: SourceFile): ESTree.Program {
  const lang = file.path.endsWith("x") ? "tsx" : "ts";
  const result = parseSync(file.path, file.text, { lang, sourceType: "module" });
  const error = result.errors[0];
  if (error) {
    const label = error.labels[0];
    throw diagnostic(file, "SVC_INVALID", { start: label?.start ?? 0, end: label?.end ?? 1 }, error.message);
  }
  return result.program;
}
