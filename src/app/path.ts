/** What a path of the app may look like: checked where it is written, so that a typo is no silent 404. */
import { SvcError } from "../shared/errors.ts";
import { BASE_PATH } from "../shared/wire.ts";

/** @param what for the message: `page`, `route`. @throws SvcError `SVC_DEFINITION` */
export function assertPath(what: string, path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new SvcError("SVC_DEFINITION", `${what} path "${String(path)}" ${problem}`);
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== "string" || !path.startsWith("/")) return "must start with a slash, such as /todos/:id";
  if (path.includes("//") || path.includes("?")) return "must be a path without empty segments or a query";
  if (path === BASE_PATH || path.startsWith(`${BASE_PATH}/`))
    return `is below ${BASE_PATH}, which is the framework's own`;
  return undefined;
}
