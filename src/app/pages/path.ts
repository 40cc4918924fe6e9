/**
 * Validates paths where an app defines them, so that a typo is not a silent 404, and derives the types of their parameters.
 *
 * A path is `/` or segments: text (`/todos`), one parameter (`/:id`), and at the end a rest of one or more segments (`/**:file`).
 */
import { SvcError } from "../../platform/shared/errors.ts";
import { BASE_PATH, PATHS } from "../../platform/shared/wire.ts";

/** `"/todos/:id"` -> `{ readonly id: string }`; any names for a path that is only known at run time. */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in NamesOf<Path>]: string };

type NamesOf<Path extends string> = Path extends `${infer Segment}/${infer More}`
  ? NameOf<Segment> | NamesOf<More>
  : NameOf<Path>;

type NameOf<Segment extends string> = Segment extends `:${infer Name}` | `**:${infer Name}` ? Name : never;

/** Text, a parameter or a rest. Pattern syntax of other routers is rejected instead of being treated as text. */
const SEGMENT = /^(?:(?:\*\*)?:([A-Za-z_]\w*)|[^:*?+(){}\\#%\s]+)$/;

/** Paths that svc answers before the app has booted. */
const BUILT_IN: readonly string[] = [PATHS.health, PATHS.ready];

/** @param what for the message: `page`, `route`, `group`. @throws SvcError `SVC_DEFINITION` */
export function assertPath(what: string, path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new SvcError("SVC_DEFINITION", `${what} path "${String(path)}" ${problem}`);
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== "string" || !path.startsWith("/")) return "must start with a slash, such as /todos/:id";
  if (path.includes("//") || path.includes("?")) return "must be a path without empty segments or a query";
  if (path === BASE_PATH || path.startsWith(`${BASE_PATH}/`) || BUILT_IN.includes(path))
    return `is ${BUILT_IN.includes(path) ? "" : `below ${BASE_PATH}, which is `}reserved for the framework`;
  return path === "/" ? undefined : segmentProblem(path.slice(1).split("/"));
}

function segmentProblem(segments: readonly string[]): string | undefined {
  const names = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    const match = SEGMENT.exec(segment);
    if (segment === "") return "must not end with a slash; requests with a final slash match too";
    if (!match || segment === "." || segment === "..")
      return `has the segment "${segment}"; allowed: text, one parameter such as :id, and at the end a rest such as **:file`;
    if (segment.startsWith("**") && at < segments.length - 1) return "has a rest that is not its last segment";
    const [, name] = match;
    if (name !== undefined && names.has(name)) return `names the parameter "${name}" twice`;
    if (name !== undefined) names.add(name);
  }
  return undefined;
}

/** A path without the names of its parameters: paths of the same shape match the same requests. */
export function shapeOf(path: string): string {
  return path.replace(/:\w+/g, ":");
}
