/** Step 1: parses TSX with Vite's parser (oxc), so the compiler and Vite accept the same syntax. */
import { parseSync, type ESTree } from "vite";
import { diagnostic, type SourceFile } from "../diagnostics.ts";

/** @throws SvcError SVC_INVALID with a code frame for invalid TSX. */
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
