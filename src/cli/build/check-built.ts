/**
 * Checks that a built app loads, before it is deployed. An error of the source fails the build. A missing variable, package or database
 * may exist on the server, so it is only reported.
 */
import { errorText, isOurs } from "../error-text.ts";
import { loadBuilt } from "../load-app.ts";
import type { Output } from "../output.ts";

/**
 * @param entry path of the built module. @param name path of its source, for messages.
 * @throws SvcError `SVC_DEFINITION`; SyntaxError for a missing export of another module.
 */
export async function checkBuilt(entry: string, name: string, output: Output): Promise<void> {
  try {
    const app = await loadBuilt(entry, name);
    // These getters validate what a boot would validate, and open nothing.
    void app.definitions;
    void app.pagePaths;
  } catch (error) {
    if (isOfSource(error)) throw error;
    output.error(`The app does not load here, so its definitions are not checked. ${errorText(error)}`);
  }
}

function isOfSource(error: unknown): boolean {
  return isOurs(error) ? error.code !== "SVC_CONFIG" : error instanceof SyntaxError;
}
