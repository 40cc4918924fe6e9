/** What a form's submit means: which lockfile is to be audited, or why none is. Pure but for the server's own file. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Longest lockfile that the form takes; the largest public monorepos stay below it. */
export const MAX_LOCKFILE_BYTES = 8 * 1024 * 1024;

export const PROBLEMS: Readonly<Record<string, string>> = {
  empty: "Choose a lockfile or paste its text.",
};

export interface AuditForm {
  /** Content of the uploaded file; empty when none was chosen. */
  file: string;
  pasted: string;
  wantsOwn: boolean;
}

/**
 * @param project folder of this server's own lockfile, when it has one.
 * @returns the text to audit; `undefined` when the form was empty. A file goes before pasted text.
 */
export async function lockfileOf(form: AuditForm, project: string | undefined): Promise<string | undefined> {
  if (form.wantsOwn && project !== undefined) return readFile(join(project, "package-lock.json"), "utf8");
  return [form.file, form.pasted].find((text) => text.trim() !== "");
}
