/** Explains an error of Vite, or of a preprocessor that it uses, in a stylesheet of the app. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { SvcError } from "../../../platform/shared/errors.ts";
import { relativePath } from "../build/import-chain.ts";
import { diagnostic, offsetOf } from "../diagnostics.ts";

/** The parts of Vite's error, all optional. */
interface Found {
  id?: unknown;
  loc?: { file?: unknown; line?: unknown; column?: unknown };
}

/** @param root folder of the app. @returns `SVC_DEFINITION` with place and frame; undefined for an error in another file */
export function styleError(error: unknown, root: string): SvcError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { id, loc = {} } = error as Error & Found;
  const named = [loc.file, id].find((file) => typeof file === "string");
  const file = named?.split("?")[0];
  if (file === undefined || !path.isAbsolute(file) || !existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const { line, column } = loc;
  const start =
    typeof line === "number" ? offsetOf(text, line, typeof column === "number" ? Math.max(1, column) : 1) : 0;
  const message = error.message.split("\n")[0] ?? "";
  return diagnostic({ path: relativePath(root, file), text }, "SVC_DEFINITION", { start, end: start + 1 }, message);
}
