/** The path of an app, and characters in it that Vite can't handle. It takes the part of a path from `#` or `?` for the hash or query of a URL. */
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { SvcError } from "../../../platform/shared/errors.ts";

/** Absolute path of the app's folder without symbolic links, as in Vite's names of modules. @param root may be missing */
export function folderOf(root: string): string {
  const folder = path.resolve(root);
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** @param refused the characters that this part of Vite can't handle. @throws SvcError `SVC_DEFINITION` */
export function requirePath(root: string, refused: RegExp): void {
  const [character] = refused.exec(root) ?? [];
  if (character !== undefined) throw new SvcError("SVC_DEFINITION", pathProblem(root, character));
}

/** The probable reason of the bundler's errors in an app whose path has a `#`. Without stylesheets and assets such an app builds. */
export function bundlerPathProblem(root: string): string | undefined {
  return root.includes("#") ? pathProblem(root, "#") : undefined;
}

function pathProblem(root: string, character: string): string {
  return `The path of the app, ${root}, contains "${character}", which Vite takes for a part of a URL. Move the app to a folder without this character`;
}
