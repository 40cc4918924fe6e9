/**
 * Imports scripts of this server so that a failed import can be tried again. A browser remembers for the life of a page that a module URL
 * failed, so every retry asks for the same file at another URL (docs/resume-protocol.md section 6).
 */
import { BASE_PATH, RETRY } from "../../../platform/shared/wire.ts";

const FOLDERS = Symbol.for("svc.folders");
/** Path of a script -> folder to request it from next. Shared by the whole document, so that two importers of a module get one instance. */
const folders = ((globalThis as { [FOLDERS]?: Map<string, string> })[FOLDERS] ??= new Map<string, string>());

/** @param path below `/_svc/`, such as `/_svc/flow-log.js`. Rejects when the script cannot be loaded; call it again to retry. */
export async function retryableImport(path: string): Promise<unknown> {
  const folder = folders.get(path) ?? "";
  try {
    return await import(`${BASE_PATH}/${folder}${path.slice(BASE_PATH.length + 1)}`);
  } catch (error) {
    folders.set(path, folder + RETRY);
    throw error;
  }
}
