/**
 * Whether the app that `svc build` wrote loads, before it is deployed. What its source is refused for fails the build; what may be for
 * want of something that only the server has (a variable, a package, a database) is told, and the build stands.
 */
import { errorText, isOurs } from "../error-text.ts";
import { loadBuilt } from "../load-app.ts";
import type { Output } from "../output.ts";

/**
 * @param entry what was built. @param name of its source, for messages.
 * @throws SvcError `SVC_DEFINITION`; SyntaxError for a name that another module does not export.
 */
export async function checkBuilt(entry: string, name: string, output: Output): Promise<void> {
  try {
    const app = await loadBuilt(entry, name);
    // Each refuses what a boot would, without opening anything.
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
